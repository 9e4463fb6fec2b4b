/** A control on screen that the palette can press for the user. */
export interface PageAction {
  readonly name: string
  readonly run: () => void
}

/**
 * Returns the actions in the header of the open view: its buttons, and each choice of its menus. So everything that a
 * view offers there is also in the palette.
 */
export function pageActions(root: ParentNode = document): readonly PageAction[] {
  const parts = root.querySelectorAll<HTMLButtonElement | HTMLSelectElement>(
    '[data-actions] button:not([disabled]), [data-actions] select:not([disabled])',
  )
  return [...parts].flatMap((part) => (part instanceof HTMLSelectElement ? choicesOf(part) : buttonAction(part)))
}

function buttonAction(button: HTMLButtonElement): PageAction[] {
  const name = button.ariaLabel ?? button.textContent.trim()
  const group = button.closest('[role=group]')?.ariaLabel ?? ''
  if (name === '') return []
  const state = button.ariaPressed === 'true' && group === '' ? ' (on)' : ''
  return [{ name: `${group === '' ? '' : `${group}: `}${name}${state}`, run: () => button.click() }]
}

function choicesOf(select: HTMLSelectElement): PageAction[] {
  const label = select.ariaLabel ?? ''
  return [...select.options]
    .filter((option) => option.value !== select.value)
    .map((option) => ({
      name: `${label}: ${option.text}`,
      run: () => {
        // React overrides the property on the element, so this uses the prototype's setter, as a browser does.
        Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set?.call(select, option.value)
        select.dispatchEvent(new Event('change', { bubbles: true }))
      },
    }))
}
