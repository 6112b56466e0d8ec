/** Search settings that the build and the browser share, because the index is unreadable if they differ. */
export const searchOptions = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['heading', 'page', 'excerpt'],
}

export interface FoundSection {
  id: string
  page: string
  heading: string
  excerpt: string
}
