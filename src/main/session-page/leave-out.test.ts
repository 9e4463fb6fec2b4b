import { expect, test } from 'vitest'
import type { Exported } from './exported.ts'
import { partsOf, withoutParts } from './leave-out.ts'

/** An exported event of a kind, with a block of a request and a sighting. */
function exported(kind: string, payload: { readonly [key: string]: unknown }): Exported {
  return {
    event: { uuid: 'u', session_id: 's', kind, project: '/home/ann/app', payload, error_message: 'secret /home/ann/x' },
    keys: [],
    parent_keys: [],
    sightings: ['wire', 'transcript'].map((source) => ({ source, seen_at: '', payload: { text: 'secret' } })),
    contents: { hash: 'secret block' },
  } as unknown as Exported
}

test('nothing is left out unasked', () => {
  const item = exported('thinking', { text: 'secret' })
  expect(withoutParts(item, partsOf(undefined))).toBe(item)
  expect(withoutParts(item, partsOf(''))).toBe(item)
})

test('blocks of requests go with any part, since they repeat all of them', () => {
  for (const part of ['requests', 'tools', 'thinking', 'paths']) {
    const kept = withoutParts(exported('model_request', { request: { hash: 'x' }, model: 'm' }), partsOf(part))
    expect(kept?.contents).toEqual({})
    expect(kept?.event.payload).toMatchObject({ request: null, model: 'm' })
    expect(withoutParts(exported('user_prompt', { text: 'kept' }), partsOf(part))?.contents).toEqual({})
    expect(withoutParts(exported('unknown', { raw: 'secret' }), partsOf(part))).toBeNull()
  }
})

test('a part that is left out leaves the event without it, in its sightings too', () => {
  const thinking = withoutParts(exported('thinking', { text: 'secret' }), partsOf('thinking'))
  expect(thinking?.event.payload).toEqual({ text: '', left_out: true })
  expect(thinking?.event.error_message).toBeNull()
  expect(thinking?.sightings.map(({ payload }) => payload)).toEqual([null, null])
  const result = withoutParts(
    exported('tool_result', { output: 'secret', detail: {}, media: [], digest: 'd', call_id: 'c' }),
    partsOf('tools'),
  )
  expect(result?.event.payload).toEqual({ output: '', left_out: true, call_id: 'c' })
  expect(withoutParts(exported('agent_ended', { last_text: 'secret' }), partsOf('tools'))?.event.payload).toEqual({
    last_text: null,
  })
  expect(withoutParts(exported('notification', { level: 'command_output' }), partsOf('tools'))).toBeNull()
  expect(withoutParts(exported('notification', { level: 'info' }), partsOf('tools'))?.event.payload).toEqual({
    level: 'info',
  })
  expect(withoutParts(exported('error', { body: 'secret', type: 'x' }), partsOf('tools'))?.event.payload).toEqual({
    type: 'x',
  })
})

test('what another part holds stays', () => {
  const result = exported('tool_result', { output: 'kept' })
  expect(withoutParts(result, partsOf('thinking'))?.event.payload).toEqual({ output: 'kept' })
  const said = exported('notification', { level: 'command_output' })
  expect(withoutParts(said, partsOf('thinking'))).toMatchObject({ event: said.event })
  expect(withoutParts(exported('agent_ended', { last_text: 'kept' }), partsOf('thinking'))?.event.payload).toEqual({
    last_text: 'kept',
  })
  const thinking = exported('thinking', { text: 'kept' })
  expect(withoutParts(thinking, partsOf(' tools ,'))?.event).toMatchObject({
    payload: { text: 'kept' },
    error_message: 'secret /home/ann/x',
  })
  expect(withoutParts(thinking, partsOf('paths'))?.event.error_message).toBe('secret [path]')
})

test('an unknown part is an error', () => {
  expect(() => partsOf('tools,prompts')).toThrow('unknown --without; choose from requests, tools, thinking, paths')
})

test.each([
  ['the folder', '/home/ann.lee/work/acme'],
  ['a file below', '/home/ann.lee/work/acme/src/a'],
  ['the folder of the client', '-home-ann-lee-work-acme'],
  ['another one', '~/.claude/projects/-home-ann-lee-notes/x.jsonl'],
  ['a worktree of the client', '-home-ann-lee-work-acme--claude-worktrees-acme-2'],
  ['one of Windows', 'C--Users-ann-lee-work-acme'],
  ['one of a Mac', '-Users-ann-lee-acme'],
  ['Windows', String.raw`C:\Users\ann.lee\acme`],
  ['Windows in JSON', String.raw`{"cwd":"C:\\Users\\ann.lee\\acme"}`],
  ['Windows with slashes', 'c:/Users/ann.lee/acme'],
  ['a share', String.raw`\\server\ann.lee\acme`],
  ['slashes escaped in JSON', String.raw`"\/home\/ann.lee\/acme"`],
  ['slashes as code points', String.raw`\u002fhome\u002fann.lee\u002Facme`],
  ['a URL', 'vscode://file/home/ann.lee/acme'],
  ['a file URL', 'file:///home/ann.lee/acme'],
  ['an encoded URL', 'https://x.org/?path=%2Fhome%2Fann.lee%2facme'],
  ['an encoded URL of Windows', 'C%3A%5CUsers%5Cann.lee%5Cacme'],
  ['an address encoded twice', 'x?y=%252Fhome%252Fann.lee%252facme'],
  ['slashes as entities', '&#47;home&#x2F;ann.lee&#47;acme'],
  ['slashes as hexadecimal escapes', String.raw`\x2fhome\x2Fann.lee\x2facme`],
  ['a user of Windows with a blank', String.raw`C:\Users\Ann Lee\acme\x.ts`],
  ['a share of a subsystem', String.raw`\\wsl$\Ubuntu\ann.lee\acme`],
  ['the same with slashes', '//wsl.localhost/Ubuntu/ann.lee/acme'],
  ['a list of folders', 'PATH=/usr/bin:/opt/ann.lee/acme/bin'],
  ['another host', 'box:/opt/ann.lee/acme'],
  ['right after an option', '-I/opt/ann.lee/include'],
  ['a variable of Windows', String.raw`%USERPROFILE%\acme`],
  ['a variable', '${HOME}/acme'],
  ["another user's folder", '~ann/acme'],
  ['a file without slashes before it', 'file:/opt/ann.lee/acme'],
  ['a database', 'sqlite:////opt/ann.lee/a.db'],
  ['a folder of the client at an unknown place', 'projects/-data-ann-lee-acme/x.jsonl'],
  ['a folder of the client with its file', '-data-ann-lee-acme/x.jsonl'],
  ['a folder of the client alone', '-data-ann-lee-acme'],
  ['one on another disk', 'see `-work-ann-lee-acme`'],
  ['one of a share of Windows', '--Users-ann-lee-acme'],
  ['one of a share with its file', String.raw`--nas-ann-lee-acme\\x.jsonl`],
  ['a blank escaped for a shell', String.raw`cd /home/x/My\ ann.lee/acme`],
])('no path is left: %s', (_name, text) => {
  const item = exported('user_prompt', { text: `see ${text} there` })
  const project = '/home/ann.lee/work/acme'
  const kept = withoutParts({ ...item, event: { ...item.event, project } }, partsOf('paths'))
  expect(JSON.stringify(kept?.event.payload)).not.toMatch(/ann|lee|acme/i)
  expect(JSON.stringify(kept?.event.payload)).toMatch(/see .*there/)
})

test.each([
  'https://example.org/a/b?c=d',
  'git@example.org:team/repo',
  'and/or, 1/2, 5 km/h, ~5/month',
  '`${base}/users`',
  'POST //example.org',
  '12:30, a:b',
  'gcc -fno-strict-aliasing -Wno-unused-parameter --data-dir x --work-tree-only',
  'a well-known-thing / x, -data-dir',
])('what is not a path stays: %s', (text) => {
  const kept = withoutParts(exported('user_prompt', { text }), partsOf('paths'))
  expect(kept?.event.payload).toEqual({ text })
})

test('headers, paths of requests and pointers into them are not files, but their files go', () => {
  const payload = {
    exchange_id: 'x',
    method: 'POST',
    path: '/v1/messages?beta=true',
    headers: [
      ['User-Agent', 'claude-cli/2.1.332 (external, cli) node/v24.1.0 x/home/ann/1.2'],
      ['Accept', 'application/vnd.oai.v1+json, text/event-stream'],
      ['x-meta', '{"cwd":"/home/ann/app"}'],
    ],
    shape: { marks: { '/messages/1/content/0/cache_control': {}, '/home/ann/app': {} }, add: [{ tool: 'Read' }] },
  }
  const kept = withoutParts(exported('model_request', payload), partsOf('paths'))?.event.payload
  expect(kept).toEqual({
    ...payload,
    request: null,
    headers: [
      ['User-Agent', 'claude-cli/2.1.332 (external, cli) node/v24.1.0 [path]'],
      payload.headers[1],
      ['x-meta', '{"cwd":"[path]"}'],
    ],
    shape: { marks: { '/messages/1/content/0/cache_control': {}, '[path]': {} }, add: [{ tool: 'Read' }] },
  })
  const asked = withoutParts(exported('model_request', { ...payload, path: '/v1/x?f=/home/ann/a' }), partsOf('paths'))
  expect(asked?.event.payload).toMatchObject({ path: '/v1/x?f=[path]' })
  const input = exported('tool_call', { input: { path: '/v1/ann/x', marks: { '/v1/ann/x': 1 } } })
  expect(JSON.stringify(withoutParts(input, partsOf('paths'))?.event.payload)).not.toContain('ann')
})
