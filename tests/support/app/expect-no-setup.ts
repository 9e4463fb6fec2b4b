import { expect } from 'vitest'
import type { TestApp } from './start-app.ts'

/** Expects that an app leaves Claude Code alone. */
export async function expectNoSetup(app: TestApp): Promise<void> {
  expect(await app.call('claude_code.status')).toEqual({
    refusal: expect.stringContaining('cannot set up Claude Code'),
    state: null,
  })
  await expect(app.call('claude_code.set_up', { thinking: true })).rejects.toMatchObject({ code: 'conflict' })
  await expect(app.call('claude_code.undo')).rejects.toMatchObject({ code: 'conflict' })
}
