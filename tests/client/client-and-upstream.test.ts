import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { lastUserText, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'

// The basis of all other tests of the client: the faked upstream is one that the real client believes.
describe.skipIf(lacks(findClaude() !== null))('Claude Code against the faked upstream', () => {
  it('runs a whole agent turn: thinking, text, a tool call, its result, the answer, and the price of it', async () => {
    using home = makeTempFolder()
    await using upstream = await startMessagesUpstream((_request, n) =>
      n === 0
        ? {
            steps: [
              { thinking: 'The solarized theme needs a word first.' },
              { text: 'I will echo it.' },
              { tool: 'Bash', input: { command: 'echo solarized', description: 'say it' }, id: 'toolu_say' },
            ],
            encoding: 'gzip',
            usage: {
              input_tokens: 1000,
              output_tokens: 200,
              cache_read_input_tokens: 5000,
              cache_creation_5m: 300,
              cache_creation_1h: 700,
              thinking_tokens: 40,
            },
          }
        : { steps: [{ text: 'Done: grüße 🌍' }], encoding: 'zstd', writeBytes: 3 },
    )
    const run = await runClaude({ baseUrl: upstream.url, prompt: 'Say solarized', home: home.path })
    expect(run).toMatchObject({ exitCode: 0, result: { is_error: false, result: 'Done: grüße 🌍', num_turns: 2 } })
    // 1,010 in at $4, 220 out at $20, 5,000 read at $0.2, 300 at $5 and 700 at $8 written, per million.
    expect(run.result?.total_cost_usd).toBeCloseTo(0.01654, 9)
    const [first, second] = upstream.requests.filter((request) => request.kind === 'messages')
    expect(lastUserText(first?.body ?? null)).toContain('Say solarized')
    expect(JSON.stringify(second?.body?.messages)).toContain('The solarized theme needs a word first.')
    expect(JSON.stringify(second?.body?.messages)).toContain('toolu_say')
    expect(readFileSync(run.transcripts[0] ?? '', 'utf8')).toContain('toolu_say')
  })

  it('gets an answer in a subagent and asks again after a 529', async () => {
    using home = makeTempFolder()
    await using upstream = await startMessagesUpstream((request, n) => {
      if (request.agentId !== null) return { steps: [{ text: 'The agent saw three files.' }], encoding: 'br' }
      if (n === 0) return { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }
      if (n === 1)
        return {
          steps: [
            {
              tool: 'Agent',
              input: {
                description: 'count files',
                prompt: 'Count the files',
                subagent_type: 'general-purpose',
                run_in_background: false,
              },
            },
          ],
        }
      return { steps: [{ text: 'Three files.' }], encoding: 'deflate' }
    })
    const run = await runClaude({ baseUrl: upstream.url, prompt: 'How many files?', home: home.path })
    expect(run.result?.result).toBe('Three files.')
    const asked = upstream.requests.filter((request) => request.kind === 'messages')
    expect(asked.filter((request) => request.agentId !== null)).toHaveLength(1)
    expect(asked.length).toBeGreaterThanOrEqual(4)
  })

  it('is held in the middle of an answer until the test lets it go on', async () => {
    using home = makeTempFolder()
    await using upstream = await startMessagesUpstream(() => ({
      steps: [{ text: 'First words, ' }, { hold: 'middle' }, { text: 'and the rest.' }],
    }))
    let over = false
    const run = runClaude({ baseUrl: upstream.url, prompt: 'Talk', home: home.path }).finally(() => {
      over = true
    })
    await upstream.held('middle')
    expect(over).toBe(false)
    upstream.release('middle')
    expect((await run).result?.result).toContain('and the rest.')
  })
})
