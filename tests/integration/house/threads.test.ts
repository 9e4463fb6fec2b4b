import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importsIn, importsOf, sourceFiles } from '../../../scripts/house/imports.ts'
import { ENTRIES, misplacedFiles, RUNS_ON } from '../../../scripts/house/threads.ts'
import { THREAD_SOURCES } from '../../../src/main/base/thread-entry.ts'

const imports = importsOf(sourceFiles())

test('every file runs only on the threads that its path names', () => {
  expect(misplacedFiles(imports)).toEqual([])
})

test('the entries that are followed are all that the product starts', () => {
  const started = Object.values(THREAD_SOURCES).map((path) => `src/main/${path}`)
  expect(Object.values(ENTRIES).flat()).toEqual(expect.arrayContaining(started))
  for (const entry of Object.values(ENTRIES).flat()) expect(sourceFiles()).toContain(entry)
})

test('the table names folders that exist', () => {
  for (const folder of Object.keys(RUNS_ON))
    expect(existsSync(join(import.meta.dirname, '../../..', folder)), folder).toBe(true)
})

test.each([
  ['the recorder thread', 'src/main/recorder/thread/recorder.ts', '../host/recorder-host.ts'],
  ['the recorder thread', 'src/main/recorder/thread/recorder.ts', '../../proxy/forwarding.ts'],
  ['the reader thread', 'src/main/operations/reader/recall.ts', '../../recorder/thread/recorder.ts'],
  ['the importer thread', 'src/main/transcripts/thread/batcher.ts', '../host/importer.ts'],
  ['the main thread', 'src/main/app.ts', './recorder/thread/recorder.ts'],
  ['the main thread', 'src/main/recorder/host/recorder-host.ts', '../../operations/reader/sessions.ts'],
])('a value import that brings foreign code to %s is refused, a type is not', (_, path, target) => {
  const value = importsIn(path, `import { x } from '${target}'`)
  expect(misplacedFiles([...imports, ...value]).length).toBeGreaterThan(0)
  expect(misplacedFiles([...imports, ...importsIn(path, `import type { X } from '${target}'`)])).toEqual([])
})
