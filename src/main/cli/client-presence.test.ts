import { expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from './client.ts'
import { sayHeld } from './client-presence.ts'

test('a request that waits is said once, with how to decide, and not that of another folder', async () => {
  const said: string[] = []
  const silence = vi.spyOn(console, 'error').mockImplementation((text: string) => void said.push(text))
  onTestFinished(() => silence.mockRestore())
  const held = (project: string | null) => ({
    project,
    held_since: new Date(Date.now() + 1000).toISOString(),
    refused_at: '2026-11-28T10:10:00.000Z',
    over: { cap: 'day_usd', limit: 20 },
  })
  const answers = [[], [held('/elsewhere')], [held('/elsewhere'), held(process.cwd())]]
  const call = () => Promise.resolve({ enabled: true, held: answers.shift() })
  await sayHeld({ call } as unknown as Client, new AbortController().signal, 1)
  expect(answers).toEqual([])
  expect(said.join(' ').replaceAll(/\s+/g, ' ')).toMatch(
    /^aspy: a request waits, because it would exceed the cap per day \(\$20\.00\), .*aspy guard once \(/,
  )
})
