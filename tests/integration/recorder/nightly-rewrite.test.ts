import { expect, test } from 'vitest'
import { Upkeep } from '../../../src/main/recorder/thread/upkeep/upkeep.ts'
import { readableSecretsIn, secretsIn } from '../../support/store/byte-scan.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { seeded, sessionFacts, promptFact } from '../../support/store/history.ts'

const HOUR_MS = 3_600_000
const WORD = 'bandicootinunusedbytes'

test('after an hour without traffic, the file is rewritten once; before, remnants may stay in unused bytes', async () => {
  const { store, folder } = openTestStore()
  const upkeep = new Upkeep({
    store: () => store,
    liveFirst: () => false,
    isBehind: () => false,
    sessionLog: null,
    redact: (value) => value,
    forget: () => undefined,
    past: null,
    retention: { retention_days: 0, archive_days: 0, delete_days: 0 },
    isDemo: false,
    logger: { warn: (_fields, message) => expect.unreachable(message) },
  })
  for (let at = 0; at < 40; at += 1) {
    store.ingest.append(promptFact('gone', `p${at}`, `${WORD} ${at} `.repeat(30), at).reports)
    store.ingest.append(sessionFacts(`kept-${at}`, 2, seeded(at)).flatMap(({ reports }) => reports))
  }
  await upkeep.deleteSession('gone')
  expect(readableSecretsIn(folder, [WORD])).toEqual([])
  const isDue = () => store.maintenance.mayRewriteUnasked()
  await upkeep.idle(HOUR_MS - 1)
  expect(isDue()).toBe(true)
  await upkeep.idle(HOUR_MS)
  expect(isDue()).toBe(false)
  expect(secretsIn(folder, [WORD])).toEqual([])
})
