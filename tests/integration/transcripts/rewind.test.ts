import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ReadableDb } from '../../../src/main/store/database/connection.ts'
import { settled } from '../../../src/main/store/identity/settled.ts'
import { contentReader } from '../../../src/main/store/log/contents.ts'
import { eventsInOrder, sightingReader } from '../../../src/main/store/log/log.ts'
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
    return [...eventsInOrder(db, fetch)].flatMap((event) => {
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
