import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const IMPORT = /^@import '(.+)';\n/
/** The rules of code's colors, the last of the tokens. */
const SYNTAX = /\.syn-[\s\S]*/

/**
 * Returns the style of a page from its file. In the source, the file imports the window's tokens: those that it uses come
 * first, light and dark, and the colors of code last. The build writes the result beside the bundle, so that the file there imports nothing.
 */
export function pageStyle(file: string): string {
  const css = readFileSync(file, 'utf8')
  const [line = '', imported] = IMPORT.exec(css) ?? []
  if (imported === undefined) return css
  const tokens = readFileSync(join(dirname(file), imported), 'utf8')
  const rest = css.slice(line.length) + (SYNTAX.exec(tokens)?.[0] ?? '')
  const used = new Set(['color-scheme', ...Array.from(rest.matchAll(/var\((--[\w-]+)\)/g), ([, name = '']) => name)])
  const rule = (selector: string): string => {
    const [, body = ''] = tokens.split(`${selector} {\n`)
    const lines = body.slice(0, body.indexOf('}')).split('\n')
    return `:root {\n${lines.filter((text) => used.has(text.trim().split(':')[0] ?? '')).join('\n')}\n}\n`
  }
  const dark = `@media screen and (prefers-color-scheme: dark) {\n${rule(":root[data-theme='dark']")}}\n`
  return `${rule('\n:root')}${dark}${rest}`
}
