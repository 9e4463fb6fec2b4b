import { expect, test } from 'vitest'
import { AspyError } from '../../shared/contract/errors.ts'
import { healStore } from './heal-store.ts'

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('after an update was killed, the check waits until the recorder has completed it', async () => {
  const done: string[] = []
  let tries = 0
  await healStore({
    async check() {
      tries += 1
      if (tries < 2) throw new AspyError('store_unavailable', 'written by an older Aspy: start Aspy once to update it')
      return { damage: [], full_text: ['prompts_fts'] }
    },
    rebuild: async () => done.push('rebuilt'),
    salvage: async () => done.push('salvage'),
    logger,
  })
  expect([tries, done]).toEqual([2, ['rebuilt']])
})
