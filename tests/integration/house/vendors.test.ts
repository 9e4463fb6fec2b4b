import { expect, test } from 'vitest'
import { sourceFiles } from '../../../scripts/house/imports.ts'
import { misplacedVendors, vendorNamesIn } from '../../../scripts/house/vendors.ts'

test('no code that serves all clients names a vendor, and the list of exceptions has none too many', () => {
  expect(misplacedVendors(sourceFiles())).toEqual([])
})

test.each([
  ['a wire', `import { decode } from '../../../decode/wire/anthropic-messages/request.ts'`],
  ['a client', `import type { X } from '../../../decode/client/codex/x.ts'`],
  ['an identifier', `const isCodex = true`],
  ['a field', `const key = headers.anthropicBeta`],
  ['a name in a comparison', `const own = client === 'claude-code'`],
  ['a header', `const beta = headers['anthropic-beta']`],
  ['a regular expression', `const short = model.replace(/^claude-/, '')`],
  ['a value in SQL', `const own = db.prepare("SELECT 1 FROM sessions WHERE client = 'codex'")`],
  ['a value in SQL of a template', "const own = sql`SELECT 1 WHERE client = 'codex' AND id > ${id}`"],
  ['a part of a template', 'const url = `https://api.openai.com/${path}`'],
])('%s is found in recorder, store, operations, guard, recall, sinks, team, window and shared code', (_, text) => {
  for (const folder of [
    'main/recorder/thread',
    'main/store/read',
    'main/operations',
    'main/guard',
    'main/recall',
    'main/sinks/thread',
    'main/team/server',
  ])
    expect(vendorNamesIn(`src/${folder}/x.ts`, text), folder).toHaveLength(1)
  for (const path of ['src/renderer/lib/x.ts', 'src/shared/x.ts']) expect(vendorNamesIn(path, text)).toHaveLength(1)
})

test('comments and sentences for people may name a vendor, and its own folders must', () => {
  const prose = `/** As Claude Code does. */\nconst help = 'Start Claude Code again.' // and Codex`
  expect(vendorNamesIn('src/main/store/x.ts', prose)).toEqual([])
  expect(vendorNamesIn('src/renderer/lib/x.tsx', 'const view = <p>Codex shows only tokens.</p>')).toEqual([])
  expect(vendorNamesIn('src/main/decode/client/codex/x.ts', `const name = 'codex'`)).toEqual([])
})
