/** First bytes of a page: `aspy import` recognizes it by them. */
export const PAGE_START = '<!doctype html><!-- aspy-session-page 1 -->'

/** Lines around the embedded export. No text of a session can contain them: its `<` is always escaped. */
export const DATA_START = '<script type="application/json" id="aspy-export">'
export const DATA_END = '</script>'

/** First line of the embedded data. */
export interface PageHeader {
  readonly aspy_export: 1
  /** Event lines that follow. */
  readonly events: number
  /** Events beyond the limit, which are not in the page. */
  readonly cut: number
  /** Parts that were left out. */
  readonly without: readonly string[]
}

/** Writes a value as one line of JSON that contains no character with a meaning in HTML. */
export const dataLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
