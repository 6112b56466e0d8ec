/** The queue between the two programs of the plain design. */
export const oneByOneQueue = 'one-by-one'
