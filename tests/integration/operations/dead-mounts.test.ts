import { spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { threadEntry } from '../../../src/main/base/thread-entry.ts'
import { mountsIn } from '../../../src/main/files/dead-mounts.ts'
import { isHeavy } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const support = (name: string) => fileURLToPath(new URL(`../../support/files/${name}`, import.meta.url))
/** In a name space of mounts of its own, so that nothing else on the machine meets it. */
const beside = (...command: string[]) =>
  spawnSync('unshare', ['-m', 'python3', support('dead-mount.py'), ...command], { encoding: 'utf8', timeout: 60_000 })

const write = (project: string) => {
  const input = { file_path: join(project, 'a.ts'), content: 'const first = 1\n' }
  const call = { call_id: project, tool_name: 'Write', message_id: 'm', index: 0, input }
  const result = { call_id: project, tool_name: 'Write', output: 'done', is_error: false, rejected: false }
  const [session_id, key, at] = [project, `call:${project}`, '2026-11-20T10:00:00.000Z']
  return [
    draftOf('tool_call', call, { at, session_id, project, keys: [key] }),
    draftOf('tool_result', result, { at, session_id, project, parents: [key] }),
  ]
}

/** The right to mount, and FUSE. */
function mayMount(): boolean {
  using folder = makeTempFolder()
  return beside(folder.path, 'true').status === 0
}

// Whatever touches the mount by mistake hangs for good, so it is made on request only.
describe.each(isHeavy ? ['a mount that does not answer'] : [])('%s', () => {
  test.skipIf(!mayMount())(
    'holds up no reader, no restore and no exit',
    () => {
      const folder = realpathSync(temporaryFolder())
      const [dead, alive, link] = [join(folder, 'dead'), join(folder, 'alive'), join(folder, 'link')]
      for (const each of [dead, alive]) mkdirSync(each)
      symlinkSync(dead, link)
      const projects = [join(dead, 'shop'), join(link, 'shop'), alive]
      const database = fillStore(join(folder, 'data'), projects.flatMap(write))
      const of = (project: string) => ({ path: join(project, 'a.ts') })
      const calls = [
        ...projects.map((project) => ['files.blame', of(project)]),
        ['files.tree', { session_id: projects[0] }],
        ['files.restore', { ...of(alive), preview: true }],
        ['files.restore', { ...of(alive), out: join(link, 'b.ts') }],
      ]
      const { stdout, stderr, status } = beside(
        dead,
        process.execPath,
        support('read-beside.ts'),
        database,
        threadEntry('reader-thread').href,
        JSON.stringify(calls),
      )
      expect([stderr, status]).toEqual(['', 0])
      const told = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as [string, number])
      const refused = `${dead} does not answer, so nothing is read or written there: try again later`
      const path = join(alive, 'a.ts')
      expect(told.map(([text]) => text ?? 'none')).toEqual([refused, refused, path, 'none', path, refused])
      expect(Math.max(...told.map(([, ms]) => ms))).toBeLessThan(2000)
    },
    90_000,
  )
})

test('remote mounts are found in the table of Linux and in what a Mac prints', () => {
  const linux = 'srv:/home /mnt/my\\040home nfs4 rw 0 0\n/dev/sda1 / ext4 rw 0 0\nme@h: /mnt/s fuse.sshfs rw 0 0\n'
  expect(mountsIn(linux)).toEqual(['/mnt/my home', '/mnt/s'])
  const mac =
    '/dev/disk1s1 on / (apfs, local)\n//me@srv/a b on /Volumes/a b (smbfs, nodev)\nh:/x on /x y (macfuse_sshfs)\n'
  expect(mountsIn(mac)).toEqual(['/Volumes/a b', '/x y'])
})
