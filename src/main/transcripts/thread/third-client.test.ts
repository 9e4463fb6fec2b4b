import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { configSchema } from '../../../shared/config.ts'
import type { TranscriptClient } from '../../decode/client/transcript-client.ts'
import { TRANSCRIPT_CLIENTS } from '../../decode/client/transcript-clients.ts'
import { clientHomes, promptHistories, transcriptFolders } from '../client-folders.ts'
import { createFileDecoder } from './file-decoder.ts'
import { clientOfName, isTranscriptPath } from './transcript-names.ts'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'aspy-toy-')))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** A client that writes each prompt as a line `> …`. */
const toy: TranscriptClient = {
  name: 'toy',
  homes: (env, userHome) => [env['TOY_HOME'] ?? join(userHome, '.toy')],
  folders: (folder) => [join(folder, 'chats')],
  hasName: (path) => path.endsWith('.toy'),
  beginsLike: (head) => head.startsWith('TOY 1\n'),
  createDecoder: (path) => ({
    line: (text) =>
      !text.startsWith('> ')
        ? []
        : [
            {
              source: 'transcript',
              session_id: `toy-${path.length}`,
              agent_id: null,
              ts_wall: '2026-11-23T08:00:00.000Z',
              ts_monotonic: null,
              project: null,
              kind: 'user_prompt',
              payload: { text: text.slice(2), prompt_id: null },
              keys: [`toy:${text}`],
              parents: [],
            },
          ],
    end: () => [],
  }),
}
const CLIENTS = [toy, ...TRANSCRIPT_CLIENTS]

test('a third client is one object: its folders are found, and its files are read by its decoder', async () => {
  const chats = join(home, '.toy', 'chats')
  mkdirSync(chats, { recursive: true })
  const homes = clientHomes({}, home, configSchema.parse({}).transcripts, CLIENTS)
  expect(homes['toy']).toEqual([join(home, '.toy')])
  expect(transcriptFolders(homes, [], CLIENTS)).toEqual([chats])
  expect(promptHistories(homes, CLIENTS)).toEqual([])
  // Its files by their names; one with another name by its beginning.
  for (const name of ['a.toy', 'copy.txt']) {
    const path = join(chats, name)
    writeFileSync(path, 'TOY 1\n> hello\n')
    const file = await open(path)
    const decoder = await createFileDecoder(path, file, { onUnknownField: () => undefined }, CLIENTS)
    await file.close()
    expect(decoder.line('> hello').map(({ payload }) => payload)).toEqual([{ text: 'hello', prompt_id: null }])
  }
})

test('the names of all clients stay apart', () => {
  const names = ['a.toy', 'a.jsonl', 'rollout-1.jsonl', 'rollout-1.jsonl.zst', 'agent-1.jsonl', 'a.txt', 'a.jsonl.zst']
  expect(names.map((name) => [isTranscriptPath(name, CLIENTS), clientOfName(name, CLIENTS).name])).toEqual([
    [true, 'toy'],
    [true, 'claude-code'],
    [true, 'codex'],
    [true, 'codex'],
    [true, 'claude-code'],
    [false, 'claude-code'],
    [true, 'claude-code'],
  ])
})
