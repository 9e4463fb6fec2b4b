import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { findTranscripts } from '../../../src/main/transcripts/thread/find-files.ts'
import { refuseOthers } from '../../../src/main/transcripts/thread/refuse-others.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { said, transcriptLines } from '../../support/store/transcript-lines.ts'
import { importedInto } from '../../support/transcripts/import-folder.ts'
import { importedSessions } from '../../support/transcripts/imported-sessions.ts'

const lines = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const at = (minute: number) => ({ timestamp: new Date(Date.UTC(2026, 1, 1, 10, minute)).toISOString() })
const claude = (session: string) => transcriptLines(session, [said(`${session} asks`)]).join('')
const rollout = (thread: string, minute: number) =>
  lines(
    { type: 'session_meta', ...at(minute), payload: { id: thread, cwd: '/w', cli_version: '0.104.0' } },
    { ...at(minute), type: 'event_msg', payload: { type: 'user_message', message: `${thread} asks` } },
  )
const bareRollout = (thread: string, minute: number) =>
  lines(
    { id: thread, ...at(minute), instructions: null },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: `${thread} asks` }] },
  )

const OURS: { readonly [path: string]: string | Buffer } = {
  'p/session.jsonl': claude('session'),
  'p/damaged.jsonl': `\0\0{"type":"us${claude('damaged')}`,
  'p/titled.jsonl': `${lines({ type: 'summary', summary: 'A title', leafUuid: 'l' })}${claude('titled')}`,
  // A version may name the session twice; print mode has only the second name.
  'p/both.jsonl': claude('both').replaceAll('"sessionId":"both"', '"sessionId":"both","session_id":"both"'),
  'old/any-name.jsonl': rollout('thread-1', 1),
  'old/first-version.jsonl': bareRollout('thread-2', 2),
  'old/codex.jsonl.zst': zstdCompressSync(Buffer.from(rollout('thread-3', 3))),
  'p/long.jsonl': transcriptLines('long', [said('x'.repeat(2 * 1024 * 1024))]).join(''),
}
const OTHERS: { readonly [path: string]: string | Buffer } = {
  'o/full.jsonl': lines({ type: 'session', sessionID: 's' }, { type: 'message', sessionID: 's', parts: [] }),
  // It copies the format, but not where the words are.
  'o/said.jsonl': lines({ uuid: '1', sessionId: 's', ...at(1), type: 'user', message: { role: 'user', said: [] } }),
  'o/tree.jsonl': lines(
    { type: 'session', id: 's' },
    { type: 'message', id: '1', message: { role: 'user', content: 'x' } },
  ),
  // What print mode writes.
  'o/stream.jsonl': lines(
    { type: 'system', subtype: 'init', session_id: 's', model: 'm' },
    { type: 'assistant', message: { id: 'msg_1', role: 'assistant', content: [] }, session_id: 's' },
  ),
  // Of kimi-cli, before it became Kimi Code.
  'o/wire.jsonl': lines(
    { type: 'metadata', protocol_version: '1.3' },
    { timestamp: 1763632800.1, message: { type: 'TurnBegin', payload: { user_input: 'x' } } },
  ),
  'o/page.jsonl': '# A title\n\nSome words.\n',
  'o/packed.jsonl.zst': zstdCompressSync(Buffer.from('words\n')),
  'o/torn.jsonl.zst': 'not packed',
}
const SESSIONS = ['session', 'damaged', 'titled', 'both', 'codex-thread-1', 'codex-thread-2', 'codex-thread-3', 'long']

function put(files: { readonly [path: string]: string | Buffer }, folder = temporaryFolder()): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

test('a folder gives what our clients wrote, whatever its name, and names the rest', async () => {
  const folder = put({ ...OURS, ...OTHERS })
  const { db, progress } = await importedInto(temporaryFolder(), [folder])
  expect(Object.keys(importedSessions(db)).toSorted()).toEqual(SESSIONS.toSorted())
  const named = Object.keys(OTHERS).map((path) => join(folder, path))
  expect(progress?.passed_over.toSorted()).toEqual(named.toSorted())
  expect(progress).toMatchObject({ files_passed_over: named.length, done: true })
  expect(progress?.bytes_done).toBe(progress?.bytes)
})

test('renamed copies of transcripts are named if the transcripts are gone', async () => {
  const names = ['p/a.JSONL', 'p/b.jsonl.bak', 'p/c.jsonl~', 'p/d.jsonl (1)', 'p/e.Jsonl.old']
  const others = ['p/x.jsonl.bak', 'p/notes.jsonlines', 'p/settings.json', 'p/f.txt']
  const all = [...names, ...others].map((name) => [name, claude('copy')])
  const folder = put({ ...Object.fromEntries(all), 'p/x.jsonl': claude('session') })
  const { db, progress } = await importedInto(temporaryFolder(), [folder])
  expect(Object.keys(importedSessions(db))).toEqual(['session'])
  expect(progress?.passed_over.toSorted()).toEqual(names.map((name) => join(folder, name)).toSorted())
})

test('a file that is named itself is refused with the reason if it is another program’s', async () => {
  // Gemini CLI keeps a session as one object, whose list of messages may be long.
  const chat = (words: string) => JSON.stringify({ sessionId: 's', messages: [{ type: 'user', content: words }] })
  const documents = { 'gemini.json': chat('Paint it.'), 'long.json': chat('Paint it.'.repeat(2000)) }
  const folder = put({ ...OURS, ...OTHERS, ...documents, 'a.md': '# A title\n', 'a.txt': claude('text') })
  const reasonOf = (path: string) =>
    refuseOthers([path], []).then(
      () => null,
      ({ message }: Error) => message.slice(path.length),
    )
  const ours = [...Object.keys(OURS), 'a.txt'].map((path) => reasonOf(join(folder, path)))
  expect(await Promise.all(ours)).toEqual(ours.map(() => null))
  const named = [...Object.keys(OTHERS), ...Object.keys(documents), 'a.md']
  const others = [...named.map((path) => join(folder, path)), '/etc/passwd']
  for (const path of others)
    expect(await reasonOf(path), path).toMatch(
      /^ is not a transcript of Claude Code, Codex, pi, Kimi Code, Qwen Code or Copilot CLI: [a-z ]+/i,
    )
})

test('links are followed once each, and circles end', async () => {
  const elsewhere = put({ 'linked.jsonl': claude('linked'), 'below/deep.jsonl': claude('deep') })
  const folder = put({ 'p/session.jsonl': claude('session'), 'text.txt': 'x' })
  symlinkSync(elsewhere, join(folder, 'p/elsewhere'))
  symlinkSync(elsewhere, join(folder, 'p/elsewhere-again'))
  symlinkSync(folder, join(elsewhere, 'below/back'))
  symlinkSync(join(elsewhere, 'linked.jsonl'), join(folder, 'p/file.jsonl'))
  symlinkSync(join(folder, 'text.txt'), join(folder, 'p/text.jsonl'))
  const { db, progress } = await importedInto(temporaryFolder(), [folder])
  expect(Object.keys(importedSessions(db))).toEqual(['deep', 'linked', 'session'])
  expect(progress).toMatchObject({ files: 3, lines_bad: 0 })
})

test('the list of all prompts alone is imported', async () => {
  const entry = { display: 'What is left?', pastedContents: {}, timestamp: Date.UTC(2026, 1, 1), sessionId: 's' }
  const home = put({ '.claude/history.jsonl': lines(entry) })
  const { db } = await importedInto(temporaryFolder(), null, { 'claude-code': [join(home, '.claude')] })
  expect(importedSessions(db)).toEqual({ s: { prompts: ['What is left?'], tokens: 0 } })
})

test.skipIf(process.platform !== 'linux')(
  'what belongs to the system is refused with the reason, and no link leads there',
  () => {
    for (const path of ['/proc', '/proc/self/status', '/sys'])
      expect(() => findTranscripts([path])).toThrow(`${path} belongs to the system, where no client keeps transcripts`)
    const own = temporaryFolder()
    writeFileSync(join(own, 'a.jsonl'), '{}\n')
    symlinkSync('/proc', join(own, 'linked'))
    expect(findTranscripts([own]).files.map(({ path }) => basename(path))).toEqual(['a.jsonl'])
  },
)
