import { expect, test } from 'vitest'
import {
  assistantLabel,
  clientLabel,
  clientNamed,
  isResumable,
  modelName,
  publicApi,
  recordedResumeOf,
  resumeOf,
} from './vendors.ts'

const ID = '01a205b1-d5ef-7212-bafc-c782ff70dae0'

test('each client resumes its own sessions, recorded if Aspy runs it', () => {
  expect(resumeOf(ID)).toEqual(['claude', '--resume', ID])
  expect(resumeOf(`codex-${ID}`)).toEqual(['codex', 'resume', ID])
  expect(recordedResumeOf(`codex-${ID}`, 'run --full')).toEqual(['run', '--full', '--', 'codex', 'resume', ID])
})

test('a session that no client has named cannot be resumed', () => {
  for (const id of ['unnamed-0a1b2c-2026-11-23', 'batch-msgbatch_1'])
    expect([resumeOf(id), recordedResumeOf(id)], id).toEqual([null, null])
})

test('only ids of a client become part of a command', () => {
  expect([ID, `codex-${ID}`].map(isResumable)).toEqual([true, true])
  const others = [
    [`pi-${ID}`, ['pi', '--session', ID]],
    [`qwen-${ID}`, ['qwen', '--resume', ID]],
    [`copilot-${ID}`, ['copilot', '--resume', ID]],
    [`session_${ID}`, ['kimi', '--session', `session_${ID}`]],
    ['ses_de15ef1e8ffePXi4WUJzDN21Je', ['opencode', '--session', 'ses_de15ef1e8ffePXi4WUJzDN21Je']],
  ] as const
  for (const [id, command] of others) {
    expect(isResumable(id), id).toBe(true)
    expect(recordedResumeOf(id)).toEqual(['run', '--', ...command])
    expect(isResumable(`${id};x`), id).toBe(false)
  }
  for (const id of [`codex-codex-${ID}`, `${ID};x`, '--help', `unnamed-${ID}`]) expect(isResumable(id), id).toBe(false)
})

test('a request of Codex is sent to its own vendor, with its own key', () => {
  expect(publicApi('/openai/v1/responses')).toEqual({
    url: 'https://api.openai.com/v1/responses',
    keyHeader: 'authorization: Bearer $OPENAI_API_KEY',
  })
  expect(publicApi('/v1/messages?beta=true').url).toBe('https://api.anthropic.com/v1/messages?beta=true')
})

test('names for people', () => {
  const clients = [
    'claude-code',
    'codex',
    'agent-sdk',
    'unknown',
    'my-agent',
    'aider_cli',
    'constructor',
    'Odd (1.0)',
    '',
  ]
  expect(clients.map(clientLabel)).toEqual([
    'Claude Code',
    'Codex',
    'Agent SDK',
    'Unknown client',
    'My Agent',
    'Aider CLI',
    'Constructor',
    'Odd (1.0)',
    '',
  ])
  expect(['Claude Code', 'agent sdk', 'codex', 'My own'].map(clientNamed)).toEqual([
    'claude-code',
    'agent-sdk',
    'codex',
    'My own',
  ])
  expect(['claude-haiku-4-5-20251001', 'gpt-6-sol'].map(modelName)).toEqual(['haiku-4-5', 'gpt-6-sol'])
})

test('an answer is that of Claude only where Claude answers', () => {
  const clients = ['claude-code', 'agent-sdk', 'codex', 'openai-sdk', 'my-agent', 'unknown']
  expect(clients.map(assistantLabel)).toEqual(['Claude', 'Claude', 'Codex', 'OpenAI SDK', 'My Agent', 'Assistant'])
})
