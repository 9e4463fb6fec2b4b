import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Markdown, safeHref } from './markdown.tsx'

const html = (text: string) => renderToStaticMarkup(<Markdown text={text} />)

test('only http, https and mailto addresses become links', () => {
  expect(safeHref('https://example.com/a')).toBe('https://example.com/a')
  for (const href of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '/live',
    '#key=x',
    '',
  ]) {
    expect(safeHref(href)).toBeNull()
    expect(html(`[click](${href})`)).not.toContain('<a')
  }
})

test('HTML in an answer is shown as text, never rendered', () => {
  const shown = html(
    'before <img src=x onerror=alert(1)> after\n\n<script>alert(1)</script>\n\n![pixel](https://example.com/p.png)',
  )
  expect(shown).not.toMatch(/<(img|script|iframe)/)
  expect(shown).toContain('&lt;script&gt;')
  expect(shown).toContain('[image: pixel]')
})

test('common Markdown becomes the matching elements', () => {
  const shown = html('# Title\n\n1. one\n2. **two**\n\n| a | b |\n|---|---|\n| `x` | y |\n\n```ts\nconst a = 1\n```')
  for (const tag of ['<ol', '<strong', '<table', '<code', '<pre']) expect(shown).toContain(tag)
})

test('a line like the address of a link is shown, and its links work', () => {
  expect(html('[key]: value\n[key]: other')).toMatch(/\[key\]: value<.*>\[key\]: other</)
  expect(html('> [owner]: ada\n\n- [when]: today')).toMatch(/\[owner\]: ada<.*>\[when\]: today</)
  expect(html('See [docs].\n\n[docs]: https://a.b/c')).toMatch(/<a href="https:\/\/a\.b\/c".*>\[docs\]: https:/)
})

test('a list keeps the numbers it was written with', () => {
  const numbers = (text: string) => [...html(text).matchAll(/(?:start|value)="(\d+)"/g)].map(([, number]) => number)
  expect(numbers('2. two\n5. five\n9. nine')).toEqual(['2', '2', '5', '9'])
  expect(numbers('7) seven')).toEqual(['7'])
  // A browser counts these.
  expect(numbers('1. one\n1. two')).toEqual(['1'])
  expect(html('- 4 of 5\n- 3 of 5')).not.toContain('value=')
})

test('tables keep their alignment, and task lists have boxes', () => {
  const table = html('| a | b | c |\n|---|:-:|--:|\n| x | y | 12 |')
  expect(table.match(/<t[hd][^>]*text-right[^>]*>/g)).toHaveLength(2)
  expect(table.match(/<t[hd][^>]*text-center[^>]*>/g)).toHaveLength(2)
  const tasks = html('- [x] done\n- [ ] open')
  expect(tasks.match(/aria-label="Done"/g)).toHaveLength(1)
  expect(tasks.match(/aria-label="Not done"/g)).toHaveLength(1)
  expect(tasks).not.toMatch(/\[[x ]\]/)
})

test('each block has the direction of its own text, and code is always read from left to right', () => {
  const shown = html('שלום `total` עולם\n\n- אחת\n\n```ts\nconst a = 1\n```')
  expect(shown).toMatch(/<p dir="auto"/)
  expect(shown).toMatch(/<ul dir="rtl"/)
  expect(html('- `a` אחת\n- two')).toMatch(/<ul dir="rtl"/)
  expect(html('> one\n> - two אחת')).toMatch(/<blockquote dir="ltr".*<ul dir="ltr"/s)
  expect(shown).toMatch(/<code dir="ltr"/)
  expect(shown).toMatch(/<div[^>]*dir="ltr"[^>]*>.*>ts<.*<pre/s)
})

test.each([
  ['quotes', '>'.repeat(4000)],
  ['quotes with text', `${'> '.repeat(4000)}the end`],
  ['lists', `${'- '.repeat(2000)}the end`],
  ['emphasis', `${'*a _b '.repeat(2000)}${'_ *'.repeat(2000)}`],
  ['links', `${'['.repeat(4000)}x${'](y)'.repeat(4000)}`],
])('thousands of nested %s are a page like any other', (_name, text) => {
  const shown = html(text)
  expect(/(<(blockquote|ul|li)[^>]*>){80}/.test(shown)).toBe(false)
})

test('what reverses or hides text is shown by its name', () => {
  expect(html('safe\u202eelif')).toContain('safe[U+202E]elif')
})

test('many columns keep whole words, and what is very long is cut with a way to the rest', () => {
  const row = (cell: string) => `|${`${cell}|`.repeat(200)}\n`
  const wide = html(row('head') + row('--') + row('cell').repeat(30))
  expect(wide).toContain('wrap-break-word')
  // The keyboard scrolls what is cut.
  expect(wide).toMatch(/tabindex="0"[^>]*><table/)
  expect(wide.match(/<tr/g)).toHaveLength(6)
  expect(wide).toContain('Show all 30 rows')
  expect(html('one\n\n'.repeat(3000)).match(/<p /g)).toHaveLength(200)
  expect(html('one\n\n'.repeat(3000))).toMatch(/Show all [\d,.]+k? paragraphs/)
  const long = html('x'.repeat(400_000))
  expect(long.length).toBeLessThan(60_000)
  expect(long).toMatch(/Show all [\d,.]+k? characters/)
})

test('a text of nothing but delimiters is shown as it was written', () => {
  // The lexer takes more than ten seconds for it.
  expect(html('a_'.repeat(20_000))).toMatch(/^<p class="traffic wrap-anywhere">a_a_a_/)
  expect(html('['.repeat(20_000))).toMatch(/^<p class="traffic wrap-anywhere">\[\[/)
  expect(html(`**bold** ${'a_b '.repeat(100)}`)).toContain('<strong')
  expect(html(`**bold** ${'[a](https://a.b) '.repeat(100)}`)).toContain('<strong')
})

test('an address with an endless name is shown as it was written', () => {
  expect(html(`**bold** ${'a.'.repeat(20_000)}@example.com`)).toMatch(/^<p class="traffic wrap-anywhere">\*\*bold/)
  expect(html('**bold** someone@example.com')).toContain('<strong')
})
