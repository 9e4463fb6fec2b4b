import { expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

test('what reorders or hides text is shown by its name', () => {
  expect(visibleText('if (ok\u202e\u2066) {\u2069 // \u200bhidden')).toBe(
    'if (ok[U+202E][U+2066]) {[U+2069] // [U+200B]hidden',
  )
  expect(visibleText('\u{e0041}\ufeffx\u200f')).toBe('[U+E0041][U+FEFF]x[U+200F]')
})

test('text of any script, emoji and line breaks stay', () => {
  for (const text of ['שלום', 'می‌خواهم', '👩‍💻', 'a\n\tb', '終わり']) expect(visibleText(text)).toBe(text)
})
