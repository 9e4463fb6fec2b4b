import { expect, test } from 'vitest'
import { exportedMediaPrompt } from './exported-media.ts'

const image = { type: 'text', text: '[Image not kept: image/png, 2048 bytes, hash 9f86d081884c]' }
const pdf = { type: 'text', text: '[Document not kept: application/pdf, 7 bytes, hash e3b0c442]' }

test('an exported prompt of media alone gives back its images and documents', () => {
  expect(exportedMediaPrompt([image, pdf])).toEqual([
    { type: 'image', media_type: 'image/png', bytes: 2048, hash: '9f86d081884c' },
    { type: 'document', media_type: 'application/pdf', bytes: 7, hash: 'e3b0c442' },
  ])
})

test('a kind without its slash is not a media type', () => {
  const text = '[Image not kept: image, 1 bytes, hash 1]'
  expect(exportedMediaPrompt([{ type: 'text', text }])).toEqual([
    { type: 'image', media_type: null, bytes: 1, hash: '1' },
  ])
})

test.each([
  ['words of a person follow', [image, { type: 'text', text: 'what is this?' }]],
  ['words are in the same block', [{ type: 'text', text: `${image.text} what is this?` }]],
  ['the block is not a text', [{ ...image, type: 'thinking' }]],
  ['the content is a text', image.text],
  ['no block', []],
  ['no content', undefined],
])('null if %s', (_, content) => {
  expect(exportedMediaPrompt(content)).toBeNull()
})
