/** Search options for both the build and the browser, because an index made with other options is unreadable. */
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
