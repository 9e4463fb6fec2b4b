import { expect, test } from 'vitest'
import { importsIn, importsOf, sourceFiles } from '../../../scripts/house/imports.ts'
import { forbiddenImports, unusedAllowances } from '../../../scripts/house/layers.ts'

const imports = importsOf(sourceFiles())

/** Returns the breaches that a file at `path` would add with this text. */
function planted(path: string, text: string): readonly string[] {
  return forbiddenImports(importsIn(path, text))
}

test('every import between folders is one that the table allows', () => {
  expect(imports.length).toBeGreaterThan(2000)
  expect(forbiddenImports(imports)).toEqual([])
})

test('the table allows nothing that no file needs', () => {
  expect(unusedAllowances(imports)).toEqual([])
})

test.each([
  ['a feature from a feature', 'src/renderer/features/recall/x.ts', '../sessions/queries.ts'],
  ['a deeper feature from a feature', 'src/renderer/features/sessions/list/x.ts', '../../recall/queries.ts'],
  ['a feature from the app', 'src/renderer/features/recall/x.ts', '../../app/routes.tsx'],
  ['a component from a feature', 'src/renderer/components/x.ts', '../features/recall/queries.ts'],
  ['lib from a component', 'src/renderer/lib/x.ts', '../components/badge.tsx'],
  ['store from recorder', 'src/main/store/x.ts', '../recorder/protocol.ts'],
  ['store from recall', 'src/main/store/read/x.ts', '../../recall/rank.ts'],
  ['operations from surfaces', 'src/main/operations/reader/x.ts', '../../surfaces/http/sse.ts'],
  ['the proxy from decode', 'src/main/proxy/x.ts', '../decode/draft.ts'],
  ['the recorder from its host', 'src/main/recorder/thread/x.ts', '../host/recorder-host.ts'],
  ['a surface from the store', 'src/main/surfaces/mcp/x.ts', '../../store/open-store.ts'],
  ['shared from main', 'src/shared/x.ts', '../main/app.ts'],
  ['the window from main', 'src/renderer/lib/x.ts', '../../main/base/uuids.ts'],
  ['preload from main', 'src/preload/x.ts', '../main/base/uuids.ts'],
  ['main from the window', 'src/main/base/x.ts', '../../renderer/lib/format.ts'],
  ['anything from tests', 'src/main/base/x.ts', '../../../tests/support/runner/none.ts'],
  ['base from everything above it', 'src/main/base/x.ts', '../app.ts'],
])('refuses to import %s', (_, path, target) => {
  for (const text of [
    `import { x } from '${target}'`,
    `import type { X } from '${target}'`,
    `export { x } from '${target}'`,
    `const x = await import('${target}')`,
    `import '${target}'`,
  ]) {
    expect(planted(path, text), text).toEqual([expect.stringContaining(`${path}:1`)])
  }
})

test('a file in a folder that the table does not name is refused', () => {
  expect(planted('src/main/helpers/x.ts', `import { x } from '../base/uuids.ts'`)).toHaveLength(1)
})
