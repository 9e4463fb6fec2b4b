/** Lines around setup's additions to a user's file, so that these can be removed exactly. */
const BEGIN = '# >>> added by aspy setup --codex; aspy setup --undo removes it'
/** The same, for a file whose last line had no line end, which setup had to add. */
const BEGIN_AFTER_OPEN_LINE = `${BEGIN} (and the end of the line above)`
const END = '# <<< aspy'

/** If its end was deleted, a block does not extend into the next one: the text in between is the user's. */
const BLOCK =
  /(\n?)# >>> added by aspy setup --codex; aspy setup --undo removes it( \(and the end of the line above\))?\n(?:(?!# >>> added by aspy)[\s\S])*?# <<< aspy\n/g

/** Returns a TOML text with further settings: before its first table, and tables at its end. */
export function withBlocks(text: string, blocks: { readonly top: string; readonly tables: string }): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const own = text.slice(mark.length)
  const isOpen = own !== '' && !own.endsWith('\n')
  const top = blocks.top === '' ? '' : `${BEGIN}\n${blocks.top}\n${END}\n`
  const tables =
    blocks.tables === '' ? '' : `${isOpen ? `\n${BEGIN_AFTER_OPEN_LINE}` : BEGIN}\n${blocks.tables}\n${END}\n`
  return mark + top + own + tables
}

/** Returns the text without the block that sets a key. */
export const withoutBlockOf = (text: string, key: string): string =>
  text.replace(BLOCK, (block: string, before: string, open: string | undefined) => {
    if (!new RegExp(`\\n${key}\\s*=`).test(block)) return block
    return open === undefined ? before : ''
  })

/** Returns the text without what `withBlocks` added: byte for byte as before, if nobody changed the rest. */
export const withoutBlocks = (text: string): string =>
  text.replace(BLOCK, (_, before: string, open: string | undefined) => (open === undefined ? before : ''))
