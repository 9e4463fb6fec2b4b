import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answered, said, transcriptLines } from '../../support/store/transcript-lines.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { importedInto } from '../../support/transcripts/import-folder.ts'
import { importedSessions } from '../../support/transcripts/imported-sessions.ts'

/** Words that look like the border of two records. */
const LOOKS_LIKE_A_BORDER = 'is }{ or "}\n{" or {"type":"user","uuid":"1"}{"type" a border, C:\\'
const threadOf = (number: number) => `019c18a5-1d00-7000-8000-${String(number).padStart(12, '0')}`

const claudeLines = (session: string): string[] =>
  transcriptLines(session, [
    said('first'),
    ...answered(`msg_${session}_of_these_tests`, { type: 'text', text: LOOKS_LIKE_A_BORDER }),
    said(LOOKS_LIKE_A_BORDER),
    said('last'),
  ]).map((line) => line.trimEnd())

const codexLines = (number: number): string[] =>
  [
    { type: 'session_meta', payload: { id: threadOf(number), cwd: '/w', cli_version: '0.104.0' } },
    ...['first', LOOKS_LIKE_A_BORDER, 'last'].map((message) => ({
      type: 'event_msg',
      payload: { type: 'user_message', message },
    })),
  ].map((line, at) => JSON.stringify({ timestamp: new Date(Date.UTC(2026, 1, 1, number, at)).toISOString(), ...line }))

const whole = ['first', LOOKS_LIKE_A_BORDER, 'last']
/** How a file's lines are damaged, the prompts that remain, and the number of bad lines. */
const DAMAGES: {
  readonly [what: string]: {
    readonly by: (lines: readonly string[]) => string
    readonly prompts: readonly string[]
    readonly bad: number
  }
} = {
  'no damage': { by: (lines) => lines.join('\n'), prompts: whole, bad: 0 },
  'all in one line': { by: (lines) => lines.join(''), prompts: whole, bad: 1 },
  'white space between': { by: (lines) => lines.join(' \t'), prompts: whole, bad: 1 },
  'line ends of an old Mac': { by: (lines) => lines.join('\r'), prompts: whole, bad: 1 },
  'NULs before records': {
    by: (lines) => lines.map((line) => `${'\0'.repeat(512)}${line}`).join('\n'),
    prompts: whole,
    bad: 4,
  },
  'NULs alone in a line': { by: (lines) => lines.join(`\n${'\0'.repeat(9)}\n`), prompts: whole, bad: 3 },
  'byte order marks in the middle': {
    by: (lines) => `${lines[0]}\n${lines.slice(1).join('\uFEFF')}`,
    prompts: whole,
    bad: 1,
  },
  'a truncated record before the last one': {
    by: (lines) => [...lines.slice(0, -1), `${lines.at(-2)?.slice(0, -20)}${lines.at(-1)}`].join('\n'),
    prompts: whole,
    bad: 1,
  },
  'a record without its beginning before the last one': {
    by: (lines) => [...lines.slice(0, -1), `${lines.at(-2)?.slice(30)}${lines.at(-1)}`].join('\n'),
    prompts: whole,
    bad: 1,
  },
  'a record cut in its words, and the next one': {
    by: (lines) => `${lines.slice(0, -2).join('\n')}\n${lines.at(-2)?.split('border')[0]}${lines.at(-1)}`,
    prompts: ['first', 'last'],
    bad: 1,
  },
  'text behind a record': { by: (lines) => lines.map((line) => `${line} killed`).join('\n'), prompts: whole, bad: 4 },
}

test('a broken line gives back every whole record in it, and is counted', async () => {
  const folder = temporaryFolder()
  const cases = Object.entries(DAMAGES).map(([what, damage], number) => ({ what, number, ...damage }))
  for (const { number, by } of cases) {
    writeFileSync(join(folder, `session-${number}.jsonl`), `${by(claudeLines(`session-${number}`))}\n`)
    writeFileSync(join(folder, `rollout-${threadOf(number)}.jsonl`), `${by(codexLines(number))}\n`)
  }
  const { db, progress } = await importedInto(temporaryFolder(), [folder])
  const sessions = importedSessions(db)
  const found = cases.map(({ what, number }) => ({
    what,
    prompts: [`session-${number}`, `codex-${threadOf(number)}`].map((id) => sessions[id]?.prompts),
  }))
  expect(found).toEqual(cases.map(({ what, prompts }) => ({ what, prompts: [prompts, prompts] })))
  expect(progress?.lines_bad).toBe(2 * cases.reduce((sum, { bad }) => sum + bad, 0))
})

test('the client’s list of prompts loses none to damage', async () => {
  const home = join(temporaryFolder(), '.claude')
  mkdirSync(join(home, 'projects'), { recursive: true })
  const entry = (display: string, at: number) =>
    JSON.stringify({ display, pastedContents: {}, timestamp: Date.UTC(2026, 1, 1, at), project: '/w', sessionId: 's' })
  const [one, two, three] = [entry('first', 1), entry(LOOKS_LIKE_A_BORDER, 2), entry('last', 3)]
  writeFileSync(join(home, 'history.jsonl'), `${one}${two?.slice(0, -9)}${two}\n\0\0${three}\n`)
  const { db, progress } = await importedInto(temporaryFolder(), null, { 'claude-code': [home] })
  expect(importedSessions(db)['s']?.prompts).toEqual(whole)
  expect(progress?.lines_bad).toBe(2)
})
