import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { answered, said, transcriptLines } from '../../support/store/transcript-lines.ts'

let claude: TempFolder
const { CLAUDE_CONFIG_DIR } = process.env
beforeEach(() => {
  claude = makeTempFolder('aspy-claude-')
  process.env['CLAUDE_CONFIG_DIR'] = claude.path
})
afterEach(() => {
  claude.remove()
  if (CLAUDE_CONFIG_DIR === undefined) delete process.env['CLAUDE_CONFIG_DIR']
  else process.env['CLAUDE_CONFIG_DIR'] = CLAUDE_CONFIG_DIR
})

/** Lines as the client writes them, whose IDs are random ones. */
const lines = (session: string, texts: readonly string[], at: number) =>
  transcriptLines(
    session,
    texts.flatMap((text) => [said(text), ...answered(`msg_${text}`, { type: 'text', text: 'answered' })]),
    { at },
  )
    .join('')
    .replaceAll('-0000-7000-', '-0000-4000-')

test('the live feed catches up with lines that were followed, never with lines that were imported', async () => {
  const folder = join(claude.path, 'projects', 'p')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'one.jsonl')
  writeFileSync(path, lines('one', ['of this morning', 'and then'], Date.now() - 3 * 3_600_000))
  await using app = await startApp({ upstream: 'http://127.0.0.1:9' })
  await app.call('transcripts.start')
  await until('the import is done', async () => (await app.call('transcripts.status'))['state'] === 'done')
  expect(await app.call('transcripts.status')).toMatchObject({ sessions: 1, progress: { done: true, file: null } })
  const shown = async () => {
    const { events } = await app.call<{ events: readonly { text: string }[] }>('live.since', { after: 0 })
    return events.map(({ text }) => text)
  }
  expect(await app.count({ kind: 'user_prompt' })).toBe(2)
  expect(await shown()).toEqual([])

  appendFileSync(path, lines('one', ['of just now'], Date.now()))
  await until('the line is followed', async () => (await app.count({ kind: 'user_prompt' })) === 3)
  expect(await shown()).toContain('of just now')
  expect(await shown()).not.toContain('of this morning')
})
