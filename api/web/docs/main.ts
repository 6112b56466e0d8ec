import { addCopyButtons } from './copy-buttons.ts'
import { openTarget } from './open-target.ts'
import { addSearch } from './search.ts'
import { addThemeChoice } from './theme-button.ts'

/** What a page of the documents does beyond being read: it searches, copies and changes its colours. */
const tools = document.querySelector<HTMLElement>('#tools')
if (tools) {
  addSearch(tools, document.body.dataset.search ?? '')
  addThemeChoice(tools)
}
addCopyButtons()
openTarget()
