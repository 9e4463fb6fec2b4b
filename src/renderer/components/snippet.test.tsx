import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Snippet } from './snippet.tsx'

test('what reverses or hides text is shown by its name, in a match and outside', () => {
  expect(renderToStaticMarkup(<Snippet content={'run \u202egnp.exe <mark>a\u200bb</mark>'} />)).toBe(
    '<span>run [U+202E]gnp.exe </span><mark>a[U+200B]b</mark>',
  )
})
