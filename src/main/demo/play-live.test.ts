import { describe, expect, it } from 'vitest'
import type { AnyDraft } from '../decode/draft.ts'
import { playLive } from './play-live.ts'

describe('the live demo', () => {
  it('streams each block before its event, and stops on request', async () => {
    const stop = new AbortController()
    const open = new Map<string, string>()
    const written = new Map<string, string>()
    const drafts: AnyDraft[] = []
    const blocks: { readonly text: string; readonly streamed: string | undefined }[] = []
    await playLive(
      (step) => {
        if ('delta' in step) {
          const key = `${step.delta.message_id}:${step.delta.index}`
          open.set(key, (open.get(key) ?? '') + step.delta.text)
          if (step.delta.done) written.set(key, open.get(key) ?? '')
          return
        }
        for (const draft of step.drafts) {
          drafts.push(draft)
          if (draft.kind !== 'thinking' && draft.kind !== 'assistant_text') continue
          const { message_id, index, text } = draft.payload
          blocks.push({ text, streamed: written.get(`${message_id}:${index}`) })
        }
        if (drafts.length > 60) stop.abort()
      },
      stop.signal,
      { seed: 'test', sessions: 3, speed: 100_000 },
    )
    expect(stop.signal.aborted).toBe(true)
    expect(new Set(drafts.map((draft) => draft.session_id)).size).toBe(3)
    expect(written.size).toBeGreaterThan(3)
    expect(blocks.length).toBeGreaterThan(3)
    expect(blocks.map(({ streamed }) => streamed)).toEqual(blocks.map(({ text }) => text))
  })
})
