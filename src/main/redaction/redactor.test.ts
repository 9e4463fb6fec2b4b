import { describe, expect, it } from 'vitest'
import type { AnyDraft } from '../decode/draft.ts'
import { inPlace, plantedSecrets } from './fixtures/planted-secrets.ts'
import { make, MARK } from './fixtures/redactor-under-test.ts'

const secrets = plantedSecrets('unit', 2)
const pem = secrets.find((secret) => secret.rule === 'private-key')?.text ?? ''

describe('key formats', () => {
  it('cover at least 40 kinds', () => {
    expect(new Set(secrets.map((secret) => secret.rule)).size).toBeGreaterThanOrEqual(40)
  })

  it.each(secrets.map((secret) => [secret.rule, secret.text] as const))(
    '%s is found in any context',
    (rule, secret) => {
      const core = secret.replace(/^:/, '')
      const places = [
        (text: string) => text,
        (text: string) => `before ${text} after`,
        (text: string) => `export KEY="${text}"`,
        (text: string) => `line\n${text}\nline`,
        (text: string) => JSON.stringify({ a: `x\n${text}`, b: [text] }),
        (text: string) => JSON.stringify({ outer: JSON.stringify({ inner: `\t${text}\n` }) }),
        (text: string) => `https://example.com/?next=%20${text}`,
        (text: string) => `https://example.com/?next=${encodeURIComponent(text)}&then=1`,
        (text: string) => `\u001B[32m${text}\u001B[0m`,
        (text: string) => text.replaceAll('-', String.raw`\u002d`),
      ]
      const redactor = make()
      for (const place of places) {
        const text = redactor.text(place(inPlace(secret)))
        for (const piece of core.match(/[\w-]{12,}/g)?.filter((part) => !/PRIVATE|^-+$|hooks|webhooks/.test(part)) ??
          [])
          expect(text).not.toContain(piece)
        expect(text).toContain(`[redacted:${rule}:`)
      }
    },
  )

  it('give a secret the same mark everywhere, but a different one under another key', () => {
    const [first = { text: '' }, second = { text: '' }] = secrets
    const redactor = make()
    const mark = MARK.exec(redactor.text(`a ${first.text}`))?.[0]
    expect(redactor.text(`TOKEN=${first.text}`)).toBe(`TOKEN=${mark}`)
    expect(redactor.text(`Authorization: Bearer ${first.text}`)).toBe(`Authorization: Bearer ${mark}`)
    expect(redactor.text(second.text)).not.toContain(mark)
    expect(make().text(first.text)).toBe(mark)
    expect(make({ hashKey: Buffer.alloc(32, 8) }).text(first.text)).not.toBe(mark)
    expect(redactor.counts()).toEqual({ 'anthropic-key': 4 })
  })

  it('leave similar-looking text alone', () => {
    const plain = [
      'sk-ant-dummy task-list-item risk-free hf_model npm_config_registry ghp_short',
      'const desk = "sk-container"; .glpat- { } xoxo-hugs key-value pairs SKIP TASK',
      'https://example.com:443/path@2x.png?a=1 and mailto:someone@example.com',
      'API_KEY=process.env.KEY2 TOKEN: ${{ secrets.TOKEN }} MAX_TOKENS=4096 TOKEN = readToken(1)',
      'Basic authentication, basic knowledge; Bearer of bad news; bearer authentication-token',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      'the header is -----BEGIN PRIVATE KEY----- and nothing follows it but prose',
      'a <private> tag that nobody closes',
    ]
    for (const text of plain) expect(make().text(text)).toBe(text)
  })
})

describe('values recognised by their context', () => {
  it.each([
    ['url-password', 'postgres://app:s3cr3t-pw@db:5432/x', 's3cr3t-pw'],
    ['url-password', String.raw`"redis:\/\/:hunter22@cache"`, 'hunter22'],
    ['bearer-token', 'authorization: Bearer abcdef0123456789abcdef', 'abcdef0123456789abcdef'],
    ['basic-credentials', `Basic ${btoa('me:correct horse')}`, btoa('me:correct horse')],
    ['secret-value', 'DB_PASSWORD=tr0ub4dor&3', 'tr0ub4dor&3'],
    ['secret-value', '{"CLIENT_SECRET": "q1w2e3r4t5y6"}', 'q1w2e3r4t5y6'],
    ['secret-value', 'x-api-key: 0a1b2c3d4e5f', '0a1b2c3d4e5f'],
    ['secret-value', 'aws_secret_access_key = wJalrXUtnFEMI7MDENGbPxRfiCYEXAMPLEKEY0', 'wJalrXUtnFEMI7MDENG'],
    ['secret-value', 'Server=db;User=sa;Password=Str0ng!pass;', 'Str0ng!pass'],
    ['private', 'keep <private>my diary</private> keep', 'my diary'],
    ['private', 'keep <private>my <private>own</private> diary</private> keep', 'diary'],
    ['private', 'keep <private >my diary</private > keep', 'my diary'],
    ['private', 'keep <private>my diary</Private> keep', 'my diary'],
    ['base64-secret', `data: ${btoa(`sk-ant-api03-${'x1'.repeat(20)}`)}`, 'eDF4MXgx'],
    ['base64-secret', btoa(`{"key": "sk-ant-api03-${'x1'.repeat(20)}"}`), 'eDF4MXgx'],
  ])('%s in %s', (rule, text, secret) => {
    const out = make().text(text)
    expect(out).not.toContain(secret)
    expect(out).toContain(`[redacted:${rule}:`)
  })

  it('finds a private key in any notation, and the rest of a truncated one', () => {
    const rows = pem.split('\n').slice(1, -1)
    const notations = [
      pem,
      pem.replaceAll('\n', '\r\n'),
      JSON.stringify(pem),
      JSON.stringify(JSON.stringify({ pem })),
      pem
        .split('\n')
        .map((row, index) => `${String(index + 1).padStart(6)}→${row}`)
        .join('\n'),
      pem
        .split('\n')
        .map((row) => `+  "${row}\\n" +`)
        .join('\n'),
      encodeURIComponent(pem),
      pem.slice(0, 700),
    ]
    const redactor = make()
    for (const dress of notations) {
      const out = redactor.text(`before\n${dress}\nafter`)
      for (const row of rows) expect(out).not.toContain(row.slice(0, 30))
      expect(out).toMatch(/^before\n.*\[redacted:private-key:.{4}\].*\nafter$/s)
    }
  })

  it('masks e-mail addresses and the home folder only if asked', () => {
    const text = 'ada@example.org wrote /home/ada/notes and /home/adamant, C:\\Users'
    expect(make().text(text)).toBe(text)
    const masked = make({ maskEmails: true, homeFolder: '/home/ada' }).text(text)
    expect(masked).toMatch(/^\[redacted:email:.{4}\] wrote ~\/notes and \/home\/adamant/)
  })
})

describe('headers', () => {
  it('are dropped unless on the allow-list', () => {
    const kept = make().headers([
      ['Authorization', 'Bearer x'],
      ['X-Api-Key', 'sk-ant-x'],
      ['Cookie', 'a=b'],
      ['Proxy-Authorization', 'Basic x'],
      ['X-Unheard-Of', '1'],
      ['Request-Id', 'req_1'],
      ['anthropic-ratelimit-unified-status', 'allowed'],
      ['User-Agent', `claude-cli/2 ${secrets[0]?.text}`],
    ])
    expect(kept.map(([name]) => name)).toEqual(['Request-Id', 'anthropic-ratelimit-unified-status', 'User-Agent'])
    expect(kept[2]?.[1]).toMatch(/^claude-cli\/2 \[redacted:anthropic-key:/)
    expect(make({ enabled: false }).headers([['cookie', 'a=b']])).toEqual([])
  })
})

describe('JSON', () => {
  it('is redacted in strings and keys, and returned as is if nothing was found', () => {
    const clean = { a: [1, null, { b: 'text' }] }
    expect(make().json(clean)).toBe(clean)
    const secret = secrets[0]?.text ?? ''
    const out = JSON.stringify(make().json({ [secret]: { deep: [secret, { __proto__x: secret }] } }))
    expect(out).not.toContain(secret.slice(0, 40))
    expect(out.match(/redacted:anthropic-key/g)).toHaveLength(3)
  })

  it('has no secret left that was split across text blocks', () => {
    const secret = secrets[0]?.text ?? ''
    const blocks = [
      { type: 'text', text: `first ${secret.slice(0, 40)}` },
      { type: 'text', text: `${secret.slice(40)} last` },
    ]
    const out = make().json(blocks)
    expect(out[0]?.text).toMatch(/^first \[redacted:anthropic-key:.{4}\]$/)
    expect(out[1]?.text).toBe(' last')
  })

  it('has every value of a .env file replaced that a call showed, in drafts and in requests', () => {
    const env = 'PORT=3000\n# comment\nexport NAME="a b"\n     4→PLAIN=word\nEMPTY=\n'
    const redactor = make()
    redactor.draft(call('toolu_1', 'Read', { file_path: '/app/.env.local' }))
    const result = redactor.draft({ ...callResult('toolu_1', env), sighting: { detail: { file: { content: env } } } })
    const shown = JSON.stringify(result)
    for (const value of ['3000', 'a b', 'word']) expect(shown).not.toContain(value)
    for (const kept of ['PORT=[redacted:env-value:', '# comment', 'export NAME=', '4→PLAIN=', 'EMPTY='])
      expect(shown).toContain(kept)
    const messages = [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_2', name: 'Bash', input: { command: 'cat -n .env' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: env }] }],
      },
    ]
    expect(JSON.stringify(make().json(messages))).not.toContain('3000')
    // Assignments in any other file stay.
    const other = make()
    other.draft(call('toolu_3', 'Read', { file_path: '/app/.env.example' }))
    expect(JSON.stringify(other.draft(callResult('toolu_3', env)).payload)).toContain('3000')
  })

  it('has only keyed hashes of the account and of metadata.user_id', () => {
    const redactor = make()
    const body = { metadata: { user_id: '{"account_uuid":"abc"}' }, user_id: 'kept' }
    const out = redactor.json(body)
    expect(out.metadata.user_id).toMatch(/^\[redacted:user-id:[0-9a-f]{4}\]$/)
    expect(out.user_id).toBe('kept')
    const draft = redactor.draft({ ...call('c', 'Bash', {}), account: 'account-1' })
    expect(draft.account).toMatch(/^[0-9a-f]{32}$/)
    expect(redactor.draft({ ...call('c', 'Bash', {}), account: 'account-1' }).account).toBe(draft.account)
  })

  function call(id: string, name: string, input: object): AnyDraft {
    const payload = { call_id: id, tool_name: name, input: input as never, message_id: null, index: 0 }
    return { ...base, kind: 'tool_call', payload }
  }
  function callResult(id: string, output: string): AnyDraft {
    const payload = { call_id: id, tool_name: null, output, is_error: false, rejected: false }
    return { ...base, kind: 'tool_result', payload }
  }
})

const base = {
  source: 'wire',
  session_id: 's',
  agent_id: null,
  ts_wall: '2026-11-21T00:00:00.000Z',
  ts_monotonic: null,
  keys: [],
  parents: [],
} as const
