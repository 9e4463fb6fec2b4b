import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ReadableDb } from '../../../src/main/store/database/connection.ts'
import { settled } from '../../../src/main/store/identity/settled.ts'
import { contentReader } from '../../../src/main/store/log/contents.ts'
import { sightingReader } from '../../../src/main/store/log/log.ts'
import { eventsInOrder } from '../../support/store/events-in-order.ts'
import { answered, said, transcriptLines } from '../../support/store/transcript-lines.ts'
import { readStore, temporaryFolder } from '../../support/store/folder.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'

test('after an import, prompts that a rewind left behind say when', async () => {
  const folder = temporaryFolder()
  const turn = (text: string) => [said(text), ...answered(`msg_${text}`, { type: 'text', text })]
  const begun = transcriptLines('s-rewound', [...turn('kept'), ...turn('left'), ...turn('left too')])
  const { uuid } = JSON.parse(begun[1] ?? '') as { readonly uuid: string }
  const at = Date.UTC(2026, 10, 20, 11)
  const rewound = transcriptLines('s-rewound', turn('instead'), { at, parent: uuid })
  const file = join(folder, 's-rewound.jsonl')
  writeFileSync(file, [...begun, ...rewound].join(''))
  const prompts = readStore(await importInto(temporaryFolder(), [file]), (plain) => {
    const db = plain as unknown as ReadableDb
    const fetch = contentReader(db)
    const sightingsOf = sightingReader(db, fetch)
    return eventsInOrder(db, fetch).flatMap((event) => {
      const { kind, payload } = settled(event, sightingsOf(event))
      return kind === 'user_prompt' && 'left_behind' in payload ? [[payload.text, payload.left_behind]] : []
    })
  })
  const when = new Date(at).toISOString()
  expect(prompts).toEqual([
    ['left', when],
    ['left too', when],
  ])
})

/** The times of two turns, what the first leaves in the cache, and a third turn that goes back to before the second. */
async function afterRewind(read: number, { minutes = 2, from = 1 } = {}) {
  const folder = temporaryFolder()
  const turn = (id: string, cache: readonly [read: number, written: number]) => [
    said(id),
    ...answered(`msg_${id}`, { type: 'text', text: id }).map((line) => ({
      ...line,
      message: {
        ...line.message,
        usage: {
          input_tokens: 3,
          cache_read_input_tokens: cache[0],
          cache_creation_input_tokens: cache[1],
          output_tokens: 9,
        },
      },
    })),
  ]
  const at = Date.UTC(2026, 10, 20, 11)
  const begun = transcriptLines('s-rewound', [...turn('kept', [0, 90_000]), ...turn('left', [90_000, 9000])], { at })
  const { uuid } = JSON.parse(begun[from] ?? '{"uuid":null}') as { readonly uuid: string | null }
  const more = { at: at + minutes * 60_000, parent: uuid }
  const file = join(folder, 's-rewound.jsonl')
  writeFileSync(
    file,
    [...begun, ...transcriptLines('s-rewound', turn('instead', [read, 95_000 - read]), more)].join(''),
  )
  return readStore(await importInto(temporaryFolder(), [file]), (db) =>
    db.prepare("SELECT kind, detail, missed_tokens FROM cache_calls WHERE message_id = 'msg_instead'").get(),
  )
}

test('an imported request after a rewind is compared with the one that it goes back to', async () => {
  const nothing = { kind: null, detail: null, missed_tokens: 0 }
  expect(await afterRewind(90_000)).toEqual(nothing)
  expect(await afterRewind(20_000), 'the beginning of a conversation').toMatchObject({ missed_tokens: 70_000 })
  expect(await afterRewind(20_000)).toMatchObject({
    kind: 'unknown',
    detail: 'it went back to an earlier point, which the API may not have kept',
  })
  expect(await afterRewind(0, { minutes: 70 })).toMatchObject({ kind: 'ttl_expired', missed_tokens: 90_000 })
  expect(await afterRewind(0, { from: 9 }), 'to the first prompt').toEqual(nothing)
})
