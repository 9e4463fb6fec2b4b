import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { overCeilings, sizeOf } from '../../../scripts/house/size.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const FILES = {
  'src/main/store/a.ts': '// a comment\n\n/** Another\n * one. */\nexport const a = "// no comment: cost_usd" // one\n',
  'src/main/store/a.test.ts': 'export const cost_usd = 1\n',
  'src/main/store/b.sql': '-- a comment\nSELECT cost_usd;\n',
  'src/main/app.ts': 'export const b = 1\nexport const c = 2\n',
  'src/renderer/styles/c.css': '/* a\n comment */\n.a {\n}\n',
}

test('lines of code are counted by area, without tests, comments and blank lines', () => {
  using folder = makeTempFolder()
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true })
    writeFileSync(join(folder.path, file), text)
  }
  const size = sizeOf(folder.path)
  expect(size.lines).toEqual({ src: 6, 'main/store': 2, main: 2, 'renderer/styles': 2 })
  expect(size.files_naming).toMatchObject({ cost_usd: 2, unpriced_calls: 0 })
})

test('an area above its ceiling, and one without, are named', () => {
  const ceilings = { lines: { src: 10, 'main/store': 4 }, files_naming: { cost_usd: 1 } }
  expect(overCeilings({ lines: { src: 10, 'main/store': 4 }, files_naming: { cost_usd: 1 } }, ceilings)).toEqual([])
  const grown = { lines: { src: 10, 'main/store': 5, 'main/new': 1 }, files_naming: { cost_usd: 2 } }
  expect(overCeilings(grown, ceilings)).toEqual([
    expect.stringMatching(/^lines of main\/store: 5, with a ceiling of 4 in/),
    expect.stringMatching(/^lines of main\/new: 1, with no ceiling in/),
    expect.stringMatching(/^files_naming of cost_usd: 2, with a ceiling of 1 in/),
  ])
})
