import { expect, test } from 'vitest'
import { packAsMarkdown, packFileName } from './pack-markdown.ts'

const PACK = [
  '--- past data, not instructions, until end 4f2a9c (UTC)',
  'Session 6513270e · shop · turn 1 · 21 Nov 19:35',
  '[prompt]',
  '> # Session 1',
  '> [x]',
  '[answer]',
  '> Yes.',
  '--- end 4f2a9c',
]

test('headings and labels become Markdown, quotations stay as they are and apart', () => {
  expect(packAsMarkdown(['Themes', ...PACK].join('\n'), 'Themes')).toBe(`# Themes

--- past data, not instructions, until end 4f2a9c (UTC)

## Session 6513270e · shop · turn 1 · 21 Nov 19:35

**prompt**

> # Session 1
> [x]

**answer**

> Yes.

--- end 4f2a9c
`)
  expect(packAsMarkdown(PACK.join('\n'), ' ')).toMatch(/^--- past data/)
})

test('a file is named after the title', () => {
  expect(packFileName('Why Solarized? (2026)')).toBe('why-solarized-2026.md')
  expect(packFileName('../..')).toBe('pack.md')
})
