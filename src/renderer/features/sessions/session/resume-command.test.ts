import { expect, test } from 'vitest'
import { resumeCommand } from './resume-command.ts'

const PROXY = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:2779/aspy-path-k_K', ASSUME: '1' }

test('a session resumes in its folder through the proxy, and a path cannot inject a command', () => {
  expect(resumeCommand({ id: '0193-a', project: '/home/ada/engine' }, PROXY)).toBe(
    'cd /home/ada/engine && ANTHROPIC_BASE_URL=http://127.0.0.1:2779/aspy-path-k_K ASSUME=1 claude --resume 0193-a',
  )
  expect(resumeCommand({ id: 'a; rm b', project: "/it's; rm -rf ~" }, PROXY)).toBe(
    String.raw`cd '/it'\''s; rm -rf ~' && ANTHROPIC_BASE_URL=http://127.0.0.1:2779/aspy-path-k_K ASSUME=1 claude --resume 'a; rm b'`,
  )
  expect(resumeCommand({ id: 'a', project: null }, null)).toBe('claude --resume a')
  expect(resumeCommand({ id: 'codex-01a2', project: '/w' }, PROXY)).toBe(
    `cd /w && codex -c 'openai_base_url="http://127.0.0.1:2779/aspy-path-k_K/openai/v1"' resume 01a2`,
  )
  expect(resumeCommand({ id: 'unnamed-1', project: '/w' }, PROXY)).toBeNull()
})
