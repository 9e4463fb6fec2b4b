import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../../shared/event.ts'
import { decodeHook } from './decode-hook.ts'

const common = {
  session_id: 's1',
  cwd: '/home/user/project',
  transcript_path: '/home/user/t.jsonl',
  permission_mode: 'default',
}
const hook = (name: string, more: object = {}) =>
  decodeHook({ ...common, hook_event_name: name, ...more } as JsonObject, { wall: 1_790_000_000_000, at: 7 })

describe('hooks', () => {
  test('every event says what it is', () => {
    expect(hook('SessionStart', { source: 'resume', model: 'claude-x' })[0]).toMatchObject({
      kind: 'session_started',
      source: 'hook',
      session_id: 's1',
      project: '/home/user/project',
      ts_wall: '2026-09-21T14:13:20.000Z',
      ts_monotonic: 7,
      payload: { start: 'resume', model: 'claude-x' },
    })
    expect(hook('SessionStart', { source: 'teleport' })[0]?.payload).toMatchObject({ start: 'unknown' })
    expect(hook('SessionEnd', { reason: 'clear' }).at(-1)).toMatchObject({
      kind: 'session_ended',
      payload: { reason: 'clear' },
    })
    expect(hook('Notification', { message: 'Waiting', notification_type: 'idle_prompt' })[0]).toMatchObject({
      kind: 'notification',
      payload: { text: 'Waiting', level: 'idle_prompt' },
    })
    expect(hook('Stop', { last_assistant_message: 'Done.' })[0]).toMatchObject({
      kind: 'turn_ended',
      payload: { reason: 'end_turn', last_text: 'Done.' },
      text_identity: { text: 'Done.' },
    })
    expect(hook('Stop', { stop_hook_active: true, last_assistant_message: 'Done.' })[0]).toMatchObject({
      only_as_sighting: true,
    })
    expect(hook('StopFailure', { error: 'authentication_failed' })[0]?.payload).toMatchObject({
      reason: 'authentication_failed',
    })
    expect(hook('PreCompact', { trigger: 'manual', custom_instructions: 'focus' })).toMatchObject([
      { payload: { name: 'compaction_started', to: { trigger: 'manual', instructions: 'focus' } } },
      { kind: 'user_prompt', payload: { text: '/compact focus' } },
    ])
    expect(hook('PreCompact', { trigger: 'manual', custom_instructions: null })[1]?.payload).toMatchObject({
      text: '/compact',
    })
    expect(hook('PreCompact', { trigger: 'auto', custom_instructions: null })).toHaveLength(1)
    expect(
      hook('PostCompact', { trigger: 'manual', compact_summary: '<analysis>x</analysis><summary>All.</summary>' })[0],
    ).toMatchObject({ kind: 'compaction', payload: { trigger: 'manual', summary: 'All.' } })
    expect(hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'rm' } })[0]?.payload).toMatchObject({
      name: 'permission_asked',
    })
    expect(hook('TaskCompleted', { task_id: '2', task_subject: 'Write' })[0]?.payload).toEqual({
      tasks: [{ id: '2', subject: 'Write', status: 'completed' }],
    })
    expect(hook('Daydream', { depth: 3 })[0]).toMatchObject({
      kind: 'unknown',
      payload: { what: 'hook:Daydream', raw: { depth: 3 } },
    })
  })

  test('a prompt is identified by its words, since its id may be that of the prompt before it', () => {
    const [prompt] = hook('UserPromptSubmit', { prompt: ' Fix it.\n', prompt_id: 'p1' })
    expect(prompt).toMatchObject({
      keys: [],
      payload: { text: ' Fix it.\n', prompt_id: 'p1' },
      text_identity: { text: 'Fix it.', within_ms: 10_000 },
      sighting: { prompt_id: 'p1' },
    })
  })

  test('a prompt that is all tags was typed; the client’s own words in the model’s place end nothing', () => {
    const tagged = '<local-command-stdout>why this?</local-command-stdout>'
    expect(hook('UserPromptSubmit', { prompt: tagged })[0]).toMatchObject({
      kind: 'user_prompt',
      payload: { text: tagged },
      text_identity: { text: tagged },
    })
    expect(hook('UserPromptSubmit', { prompt: 'Continue from where you left off.' })).toEqual([])
    expect(hook('Stop', { last_assistant_message: 'No response requested.' })).toEqual([])
  })

  test('an accepted plan is an event of its own', () => {
    const call = { tool_name: 'ExitPlanMode', tool_use_id: 'toolu_p', tool_input: { plan: 'Paint it.' } }
    const drafts = hook('PostToolUse', { ...call, tool_response: 'User has approved your plan.' })
    expect(drafts.at(-1)).toMatchObject({
      kind: 'state_change',
      payload: { name: 'plan_accepted', to: 'Paint it.' },
      keys: ['plan:toolu_p'],
      parents: ['result:toolu_p'],
    })
  })

  test('a task notification tells of the end of an agent, not of a prompt', () => {
    const told =
      '<task-notification>\n<task-id>a5</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>failed</status>\n<summary>Agent "x" failed</summary>\n<result>Broke.</result>\n</task-notification>'
    const drafts = hook('UserPromptSubmit', { prompt: told })
    expect(drafts.map(({ kind }) => kind)).toEqual(['notification', 'agent_ended'])
    expect(drafts[1]).toMatchObject({ keys: ['agent:a5:end'], success: false, error_message: 'Broke.' })
    const shell = told.replace('Agent "x" failed', 'Background command "make" completed')
    expect(hook('UserPromptSubmit', { prompt: shell }).map(({ kind }) => kind)).toEqual(['notification'])
  })

  test('a call and its result, with the time that the client measured', () => {
    const call = {
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 't1',
      agent_id: 'a1',
      agent_type: 'x',
    }
    expect(hook('PreToolUse', call)[0]).toMatchObject({
      kind: 'tool_call',
      agent_id: 'a1',
      keys: ['call:t1'],
      payload: { input: { command: 'ls' } },
    })
    const [result] = hook('PostToolUse', { ...call, tool_response: { stdout: 'a', stderr: 'b' }, duration_ms: 12 })
    expect(result).toMatchObject({
      kind: 'tool_result',
      duration_ms: 12,
      success: true,
      keys: ['result:t1'],
      parents: ['call:t1'],
      payload: { output: 'a\nb' },
      sighting: { duration_ms: 12 },
    })
    const [failed] = hook('PostToolUseFailure', { ...call, error: 'Exit code 3', is_interrupt: false, duration_ms: 4 })
    expect(failed).toMatchObject({ success: false, error_message: 'Exit code 3', payload: { rejected: false } })
    expect(hook('PostToolUseFailure', { ...call, error: 'x', is_interrupt: true })[0]?.payload).toMatchObject({
      rejected: true,
    })
  })

  test('an image that was read leaves its size, not its bytes', () => {
    const drafts = hook('PostToolUse', {
      tool_name: 'Read',
      tool_use_id: 't1',
      tool_input: {},
      tool_response: { type: 'image', file: { base64: 'aGVsbG8=', type: 'image/png' } },
    })
    expect(JSON.stringify(drafts)).not.toContain('aGVsbG8=')
    expect(drafts[0]?.payload).toMatchObject({ detail: { file: { bytes: 5 } } })
  })

  test('agents start and end; the nameless one that compaction runs is not an agent', () => {
    expect(hook('SubagentStart', { agent_id: 'a1', agent_type: 'Explore' })[0]).toMatchObject({
      kind: 'agent_started',
      keys: ['agent:a1:start'],
      payload: { agent_type: 'Explore' },
    })
    expect(
      hook('SubagentStop', { agent_id: 'a1', agent_type: 'Explore', last_assistant_message: 'Seen.' })[0],
    ).toMatchObject({ kind: 'agent_ended', parents: ['agent:a1:start'], payload: { last_text: 'Seen.' } })
    expect(hook('SubagentStop', { agent_id: 'a2', agent_type: '' })).toEqual([])
  })

  test('a shell command of a skill is known', () => {
    const fields = { command_name: '/lint', command_source: 'user', invoked_by: 'user', tool_name: 'Bash' }
    const call = { tool_input: { command: 'npm run lint' }, tool_use_id: 'toolu_1' }
    expect(hook('PreSkillShellCommand', { ...fields, ...call })).toMatchObject([
      { kind: 'state_change', payload: { name: 'PreSkillShellCommand', to: { ...fields, ...call } } },
    ])
  })

  test('whatever is posted', () => {
    const names = fc.constantFrom(
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'SubagentStart',
      'SubagentStop',
      'PostCompact',
      'Stop',
      'Notification',
      'TaskCreated',
      'SessionStart',
      'x',
    )
    const fields = fc.record(
      {
        prompt: fc.jsonValue(),
        tool_name: fc.jsonValue(),
        tool_use_id: fc.jsonValue(),
        tool_response: fc.jsonValue(),
        tool_input: fc.jsonValue(),
        agent_id: fc.jsonValue(),
        agent_type: fc.jsonValue(),
        compact_summary: fc.jsonValue(),
        duration_ms: fc.jsonValue(),
        session_id: fc.jsonValue(),
        cwd: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(names, fields, (name, more) => {
        for (const draft of hook(name, more)) expect(draft.source).toBe('hook')
      }),
      { numRuns: 400 },
    )
    const deep = JSON.parse(`{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`) as JsonObject
    expect(hook('PostToolUse', { tool_use_id: 't1', tool_name: 'X', tool_response: deep })).toHaveLength(1)
  })
})
