import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FOLLOWED_FOLDER } from '../../store/log/import-checkpoint.ts'
import { configSchema } from '../../../shared/config.ts'
import { clientHomes, keptDays, promptHistories, transcriptFolders } from '../client-folders.ts'
import { describeFound } from './describe-found.ts'
import { DECODER_VERSION } from './file-identity.ts'
import { findTranscripts } from './find-files.ts'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'aspy-find-')))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** A file of this size, last written this many seconds after the epoch. */
function put(path: string, bytes: number, seconds = 1): string {
  const whole = join(home, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, 'x'.repeat(bytes))
  utimesSync(whole, seconds, seconds)
  return whole
}

test("the client's folders are found where it may keep them, each once", () => {
  put('.claude/projects/p/a.jsonl', 1)
  put('.claude/history.jsonl', 1)
  put('elsewhere/projects/p/b.jsonl', 1)
  put('backup/c.jsonl', 1)
  symlinkSync(join(home, '.claude'), join(home, 'linked'))
  put('.codex/sessions/2026/rollout-1.jsonl', 1)
  put('other-codex/archived_sessions/rollout-2.jsonl', 1)
  const settings = configSchema.parse({ transcripts: { codex_folders: [join(home, 'other-codex')] } }).transcripts
  const named = { CLAUDE_CONFIG_DIR: `${join(home, 'elsewhere')}, ${join(home, 'linked')}` }
  const homes = clientHomes(named, home, settings)
  expect(homes).toEqual({
    'claude-code': ['elsewhere', 'linked', '.config/claude', '.claude'].map((name) => join(home, name)),
    codex: [join(home, '.codex'), join(home, 'other-codex')],
    'copilot-cli': [join(home, '.copilot')],
    'kimi-code': [join(home, '.kimi-code')],
    pi: [join(home, '.pi', 'agent')],
    'qwen-code': [join(home, '.qwen')],
  })
  expect(transcriptFolders(homes, [join(home, 'backup'), join(home, 'nowhere')])).toEqual([
    join(home, 'elsewhere', 'projects'),
    join(home, '.claude', 'projects'),
    join(home, '.codex', 'sessions'),
    join(home, 'other-codex', 'archived_sessions'),
    join(home, 'backup'),
  ])
  expect(promptHistories(homes).map(({ path }) => path)).toEqual([join(home, '.claude', 'history.jsonl')])
  // They may appear later.
  const later = clientHomes({}, join(home, 'later'), configSchema.parse({}).transcripts)
  expect(transcriptFolders(later, [])).toEqual([])
  put('later/.claude/projects/p/a.jsonl', 1)
  expect(transcriptFolders(later, [])).toEqual([join(home, 'later', '.claude', 'projects')])
})

test('older sessions come first, each before its subagents; other files are left out', () => {
  const agent = put('p/new/subagents/agent-1.jsonl', 5, 10)
  const deep = put('p/new/subagents/workflows/w1/agent-2.jsonl', 5, 11)
  const newer = put('p/new.jsonl', 5, 300)
  const older = put('p/old.jsonl', 5, 200)
  const stray = put('p/agent-3.jsonl', 5, 1)
  put('p/new/tool-results/toolu_1.txt', 1000)
  put('p/new/tool-results/toolu_2.json', 500)
  put('p/notes.md', 7)
  put('p/aspy/logs/session-x.jsonl', 9)
  symlinkSync(join(home, 'p'), join(home, 'p', 'circle'))
  const found = findTranscripts([join(home, 'p')], join(home, 'p', 'aspy'))
  expect(found.files.map(({ path }) => path)).toEqual([older, newer, agent, deep, stray])
  expect(found).toMatchObject({ spilled: { files: 2, bytes: 1500 }, unreadable: 0, folders: [join(home, 'p')] })
})

test('imported files are distinguished from new ones', () => {
  const path = put('p/a.jsonl', 1000)
  put('p/b.jsonl', 6 * 1024 * 1024)
  put('p/a/subagents/agent-1.jsonl', 20)
  const [file] = findTranscripts([path]).files
  const folder = join(home, 'p')
  const describe = (size: number) =>
    describeFound({
      folders: [folder],
      histories: 0,
      dataDir: join(home, 'data'),
      known: new Map([
        [
          path,
          {
            path,
            identity: `${file?.dev}:${file?.ino}:0:::${DECODER_VERSION}`,
            offset: size,
            size,
            mtime_ms: file?.mtimeMs ?? 0,
          },
        ],
        [folder, { path: folder, identity: FOLLOWED_FOLDER, offset: 0, size: 0, mtime_ms: 0 }],
      ]),
      keptDays: new Map(),
      isFollowing: () => false,
    })
  expect(describe(1000)).toMatchObject({
    files: 3,
    sessions: 2,
    imported_files: 1,
    new_bytes: 6 * 1024 * 1024 + 20,
    estimate_s: 2,
    folders: [{ path: folder, files: 3, bytes: 1000 + 6 * 1024 * 1024 + 20 }],
  })
  // It grew since: the rest of it is new.
  expect(describe(400)).toMatchObject({ imported_files: 0, new_bytes: 600 + 6 * 1024 * 1024 + 20 })
})

test('a named path that is not there is said', () => {
  expect(() => findTranscripts([join(home, 'nothing')])).toThrow(/cannot be read/)
})

test('files that their client deletes within a week are counted, and those of them that are not imported', () => {
  const days = (ago: number) => Date.now() / 1000 - ago * 86_400
  const describe = (settings?: string) => {
    if (settings !== undefined) writeFileSync(join(home, '.claude', 'settings.json'), settings)
    const homes = clientHomes({}, home, configSchema.parse({}).transcripts)
    const folders = transcriptFolders(homes, [])
    const [first] = findTranscripts([join(home, '.claude/projects/p/a.jsonl')]).files
    const known = new Map([
      [
        first?.path ?? '',
        {
          path: first?.path ?? '',
          identity: `${first?.dev}:${first?.ino}:0:::${DECODER_VERSION}`,
          offset: 1,
          size: 1,
          mtime_ms: first?.mtimeMs ?? 0,
        },
      ],
    ])
    const found = describeFound({
      folders,
      histories: 0,
      dataDir: join(home, 'data'),
      known,
      keptDays: keptDays(homes),
      isFollowing: () => false,
    })
    return [found.deleted_soon, found.deleted_soon_new]
  }
  put('.claude/projects/p/a.jsonl', 1, days(29))
  put('.claude/projects/p/b.jsonl', 1, days(24))
  put('.claude/projects/p/b/subagents/agent-1.jsonl', 1, days(24))
  put('.claude/projects/p/c.jsonl', 1, days(10))
  put('.codex/sessions/2026/rollout-1.jsonl', 1, days(400))
  expect(describe()).toEqual([2, 1])
  expect(describe('{"cleanupPeriodDays": 12}')).toEqual([3, 2])
  expect(describe('{"cleanupPeriodDays": 99999}')).toEqual([0, 0])
  expect(describe('{"cleanupPeriodDays": 0}')).toEqual([0, 0])
  expect(describe('{ broken')).toEqual([2, 1])
})
