/** How pages are indexed at the build and searched in the browser: both must agree. */
export const searchOptions = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['heading', 'page', 'excerpt'],
}

/** A section that was found. */
export interface FoundSection {
  /** Its address. */
  id: string
  page: string
  heading: string
  excerpt: string
}
