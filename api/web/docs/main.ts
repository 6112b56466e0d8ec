import { addCopyButtons } from './copy-buttons.ts'
import { openTarget } from './open-target.ts'
import { addSearch } from './search.ts'
import { addThemeChoice } from './theme-button.ts'

const tools = document.querySelector<HTMLElement>('#tools')
if (tools) {
  addSearch(tools, document.body.dataset.search ?? '')
  addThemeChoice(tools)
}
addCopyButtons()
openTarget()
