import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDocument } from './json-document.ts'

async function read(text: string, maxBytes?: number): Promise<readonly (string | null)[] | null> {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-document-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'rollout.json')
  writeFileSync(path, text)
  await using file = await open(path)
  const batch = await readDocument(file, { head: 'session', list: 'items' }, maxBytes)
  return batch?.lines.map((line) => line.text) ?? null
}

test.each([0, 2, '\t'])('its lines are the head and the elements, however it is indented (%j)', async (indent) => {
  const value = { a: { session: 1, items: [2] }, items: [{ items: [5] }, 'é 🦘', null], session: { items: [4] } }
  const text = `\uFEFF${JSON.stringify(value, null, indent)}\n`
  expect(await read(text)).toEqual(['{"items":[4]}', '{"items":[5]}', '"é 🦘"', 'null'])
})

test.each([
  ['cut in an element', '{"session":{"id":1},"items":[{"a":1},{"b":', null],
  ['a list', '[{"type":"message"}]', null],
  ['no list', '{"session":{"id":1}}', null],
  ['an object in place of the list', '{"session":{"id":1},"items":{"a":1}}', null],
  ['nothing', '', null],
  ['no JSON', '\0\u0001]]]}}}{{{"', null],
  ['an empty list', '{"items":[],"session":{}}', ['{}']],
  ['no head', '{"items":[{"a":1}]}', ['{"a":1}']],
] as const)('%s', async (_, text, lines) => {
  expect(await read(text)).toEqual(lines)
})

test('a file over the limit is refused, one at the limit is read', async () => {
  const text = '{"items":[1]}'
  expect(await read(text, text.length)).toEqual(['1'])
  expect(await read(text, text.length - 1)).toBeNull()
})
