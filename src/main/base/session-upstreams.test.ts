import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { upstreamWords } from '../../shared/upstream-words.ts'
import { nameUpstream, SessionUpstreams } from './session-upstreams.ts'

test('the gateways that clients have are listed without what may be a key, and said before the default', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'aspy-upstreams-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const upstream = 'https://api.example'
  const said = () => upstreamWords({ upstream, gateways: new SessionUpstreams(dataDir).addresses() })
  expect(said()).toBe('https://api.example')
  nameUpstream(dataDir, 'http://127.0.0.1:46019')
  nameUpstream(dataDir, 'https://me:secret@gateway.example/llm/?key=hidden')
  writeFileSync(join(dataDir, 'upstreams', '0'.repeat(32)), 'https://nobody-asked.example')
  expect(said()).toBe(
    'http://127.0.0.1:46019, https://gateway.example/llm, from the settings of its clients; ' +
      'default upstream https://api.example',
  )
})
