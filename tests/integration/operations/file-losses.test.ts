import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFileHandlers } from '../../../src/main/operations/main/restore-file.ts'
import { loseFiles } from '../../support/files/lost-files.ts'
import { Scene } from '../../support/files/scene.ts'
import { readStore, temporaryFolder } from '../../support/store/folder.ts'
import { openedStore } from '../../support/store/read-store.ts'
import { importedInto } from '../../support/transcripts/import-folder.ts'

test('what was lost comes back byte for byte, or what is not known of it is named', async () => {
  const [root, data, home] = [join(realpathSync(temporaryFolder()), 'work'), temporaryFolder(), temporaryFolder()]
  const scene = new Scene('losses', root, '/nowhere', 1)
  const lost = loseFiles(scene)
  mkdirSync(join(home, 'claude'))
  scene.transcripts(join(home, 'claude'), home)
  const { db } = await importedInto(data, [join(home, 'claude')], {}, true)
  const keys = readStore(db, (open) =>
    open.prepare<[], { uuid: string; key: string }>("SELECT uuid, key FROM event_keys WHERE key LIKE 'call:%'").all(),
  )
  const ids = new Map(keys.map(({ uuid, key }) => [key.slice(key.lastIndexOf('_') + 1), uuid]))
  using store = openedStore(db, () => undefined)
  const { 'files.restore': restore } = createFileHandlers(async (name, input) => {
    if (name === 'team.projects') return { items: [{ project: root }] } as never
    return store.call(name as 'files.at', input)
  })
  const bytesOf = (name: string) => (existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : null)
  const found = []
  for (const { name, label, text } of lost) {
    const before = bytesOf(name)
    const asked = { path: join(root, name), uuid: ids.get(label), over: false, preview: false }
    const preview = await restore({ ...asked, preview: true }, undefined as never)
    const { out, holes, is_whole } = await restore(asked, undefined as never)
    const real = readFileSync(out, 'utf8')
    found.push([
      name,
      preview.out === out,
      real.includes('[redacted') || (holes.length === 0 && is_whole && real !== text),
    ])
    // What is there stays, but for a file that is gone.
    found.push([name, 'present', before === null ? real === bytesOf(name) : before === bytesOf(name)])
    // With the word of the person it is replaced, and kept: also what came after the preview.
    scene.person(name, `newer than the preview of ${name}\n`)
    const replaced = Promise.resolve(restore({ ...asked, out: join(root, name), over: true }, undefined as never))
    const kept = await replaced.then(
      (answer) => answer.kept,
      () => null,
    )
    const now = readFileSync(kept ?? join(root, name), 'utf8')
    found.push([name, 'over', kept !== null, now === `newer than the preview of ${name}\n`])
  }
  const isHole = (name: string) => name.startsWith('marks')
  expect(found).toEqual(
    lost.flatMap(({ name }) => [
      [name, true, false],
      [name, 'present', true],
      // A text with a hole replaces none.
      [name, 'over', !isHole(name), true],
    ]),
  )
})
