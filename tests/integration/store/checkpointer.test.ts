import { expect, test } from 'vitest'
import { createCheckpointer } from '../../../src/main/store/database/checkpointer.ts'
import { openWriter } from '../../../src/main/store/database/connection.ts'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/store/folder.ts'

test('the log is moved into the file at once while the disk is nearly full, and later otherwise', async () => {
  const path = join(temporaryFolder(), 'lifestats.db')
  const { db, close } = openWriter(path)
  const moves = (isLow: boolean) => {
    const checkpointer = createCheckpointer(db, path, () => isLow)
    db.exec("INSERT INTO metadata (key, value) VALUES ('a', 'b') ON CONFLICT (key) DO UPDATE SET value = value || 'b'")
    checkpointer.look()
    return checkpointer
  }
  const patient = moves(false)
  expect(patient.isMoving()).toBe(false)
  const eager = moves(true)
  expect(eager.isMoving()).toBe(true)
  await expect.poll(() => eager.isMoving()).toBe(false)
  const [{ log, checkpointed } = { log: 0, checkpointed: -1 }] = db.pragma('wal_checkpoint(NOOP)') as {
    log: number
    checkpointed: number
  }[]
  expect(checkpointed).toBe(log)
  for (const each of [patient, eager]) each.stop()
  close()
})
