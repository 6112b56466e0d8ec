import type { Page } from 'playwright-core'

interface TreeNode {
  ignored: boolean
  role?: { value: string }
  name?: { value: string }
}

/** Roles that somebody acts on, who has to hear what they act on. */
const acting = new Set([
  'button',
  'checkbox',
  'combobox',
  'dialog',
  'link',
  'listbox',
  'menuitem',
  'radio',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
])

/** What a screen reader would get wrong, by the tree that Chromium hands to one: a place without a name, or no main part. */
export async function treeFindings(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  try {
    const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: TreeNode[] }
    const heard = nodes.filter(({ ignored }) => !ignored)
    const of = (role: string) => heard.filter(node => node.role?.value === role)
    const unnamed = heard.filter(({ role, name }) => acting.has(role?.value ?? '') && !name?.value.trim())
    return [
      ...(of('main').length === 1 ? [] : [`${of('main').length} main parts in the tree`]),
      ...(of('heading').length > 0 ? [] : ['no heading in the tree']),
      ...unnamed.map(({ role }) => `a ${role?.value} without a name`),
    ]
  } finally {
    await session.detach()
  }
}

/** What the key Tab does not come to, or comes to unseen: of radio buttons of a name it comes to one. */
export async function keyboardFindings(page: Page): Promise<string[]> {
  const count = await page.evaluate<number>(watchFocus)
  for (let pressed = 0; pressed < count; pressed += 1) await page.keyboard.press('Tab')
  return page.evaluate<string[]>(`window.focusFindings()`)
}

/** How many times to press; what is found is kept in the page. A drawing shows the focus by a thick line. */
const watchFocus = `(() => {
  const thickLine = 3
  const seen = new Set(), unseen = new Set()
  document.activeElement?.blur()
  getSelection().removeAllRanges()
  const isShown = element => element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]')
  const inTurn = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter(element => element.tabIndex >= 0 && !element.disabled && isShown(element))
  const group = element => element.type === 'radio' && element.name ? 'radio ' + element.name : element
  const listen = ({ target }) => {
    seen.add(group(target))
    const around = [target, target.parentElement, target.nextElementSibling, target.firstElementChild].filter(Boolean)
    const marked = around.some(one => {
      const { outlineStyle, outlineWidth, boxShadow, strokeWidth } = getComputedStyle(one)
      const isOutlined = outlineStyle !== 'none' && outlineWidth !== '0px'
      return isOutlined || boxShadow !== 'none' || parseFloat(strokeWidth) >= thickLine
    })
    if (!marked) unseen.add(target)
  }
  document.addEventListener('focusin', listen)
  window.focusFindings = () => {
    document.removeEventListener('focusin', listen)
    const say = element => element.outerHTML.slice(0, 120)
    return [
      ...inTurn.filter(element => element.isConnected && isShown(element) && !seen.has(group(element)))
        .map(element => 'the key Tab does not come to ' + say(element)),
      ...[...unseen].map(element => 'nothing shows the focus of ' + say(element)),
    ]
  }
  // Day, month, year and the calendar of a date are a turn each; one more begins, and one ends.
  const dates = inTurn.filter(element => element.type === 'date').length
  return inTurn.length + 3 * dates + 2
})()`
