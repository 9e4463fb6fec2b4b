import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { looksRandom, mixesDigits } from '../../../src/main/redaction/named/strength.ts'
import { make, MARK } from '../../../src/main/redaction/fixtures/redactor-under-test.ts'

const redactor = make()
const marked = (text: string) => text.replaceAll(new RegExp(MARK, 'g'), '•')

/** What must be removed of a text; the secret itself is at ⟂. */
const VALUE = '«⟂»'

const names = fc.constantFrom(
  ...'Authorization authorization Proxy-Authorization AUTHORIZATION X-Api-Key x-goog-api-key X-Vault-Token PRIVATE-TOKEN'.split(
    ' ',
  ),
  ...'api_key password client_secret access_token DB_PASSWORD API_KEY auth_token Cookie'.split(' '),
)
const schemes = fc.constantFrom('', 'token ', 'Token ', 'Bearer ', 'ApiKey ', 'GenieKey ', 'Splunk ', 'Key ')
/** A header or a setting, as one line without quotes of its own. */
const headers = fc.tuple(names, schemes).map(([name, scheme]) => {
  if (/cookie/i.test(name)) return `${name}: sid=${VALUE}`
  return /authorization/i.test(name)
    ? `${name}: ${scheme}${VALUE}`
    : /[a-z]/.test(name)
      ? `${name}: ${VALUE}`
      : `${name}=${VALUE}`
})
/** The same in code and in markup. */
const quoted = fc
  .tuple(fc.constantFrom('Authorization', 'authorization', 'Proxy-Authorization'), schemes)
  .chain(([name, scheme]) =>
    fc.constantFrom(
      `{"${name}": "${scheme}${VALUE}"}`,
      `headers["${name}"] = "${scheme}${VALUE}"`,
      `request.header("${name}", "${scheme}${VALUE}")`,
      `http get x.example ${name}:"${scheme}${VALUE}"`,
      `curl -H ${name}:${scheme.replace(' ', '\\ ')}${VALUE}`,
      `${name}: Digest «username="ada", realm="x y", response="⟂"»`,
      `${name}: Signature «keyId="k",signature="⟂"»`,
      `{"name":"${name}","value":"${scheme}${VALUE}"}`,
    ),
  )
const bodies = fc.constantFrom('token', 'secret', 'apiKey', 'password').map((name) => `{"${name}":"${VALUE}"}`)
const commands = fc.constantFrom(
  `docker login -u ada -p ${VALUE}`,
  `curl -u ada:${VALUE}`,
  `mysql -h db -p${VALUE}`,
  `redis-cli -a ${VALUE}`,
  `htpasswd -b users ada ${VALUE}`,
  `poetry config pypi-token.pypi ${VALUE}`,
  `curl -b sid=${VALUE}`,
  `tool --password ${VALUE}`,
  `git clone https://ada:${VALUE}@git.example.com/a.git`,
)
const secrets = fc.oneof({ weight: 3, arbitrary: headers }, quoted, bodies, commands)

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const drawn = (alphabet: string, min: number, max: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: min, maxLength: max }).map((all) => all.join(''))
const values = fc
  .oneof(
    drawn(LETTERS, 24, 48),
    drawn('0123456789abcdef', 40, 40),
    drawn(`${LETTERS}-_`, 30, 60),
    drawn(`${LETTERS}+/`, 32, 64).map((value) => `${value}=`),
  )
  .filter((value) => looksRandom(value) && mixesDigits(value) && /^\w/.test(value))

const asides = fc.constantFrom(
  '',
  'ok',
  'HTTP/1.1 200 OK',
  'Accept: text/plain',
  "it's fine",
  'a, b; c',
  '{ x }',
  '(see below)',
  'λ → ü',
  '-v | jq .',
)
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const shell = (text: string) => text.replaceAll(/["\\`$]/g, '\\$&')
/** Puts a text into another, with something before and after it. */
const SURROUNDINGS: readonly ((text: string, aside: string) => string | null)[] = [
  (text, aside) => `{"output":"${json(text)}","metadata":{"exit_code":0,"note":"${json(aside)}"}}`,
  (text, aside) => `{"note": "${json(aside)}", "output": "${json(text)}", "metadata": {"exit_code": 0}}`,
  (text, aside) => `{\n  "output": "${json(text)}",\n  "note": "${json(aside)}"\n}`,
  (text) => `["-H","${json(text)}","https://api.example.com/v1/users?page=2","--verbose"]`,
  (text) => `{"a":"${json(text)}"}`,
  (text, aside) => `${aside.replaceAll(/["'`\n]/g, '')}\n${text}\nAccept: x\n`,
  (text) => `curl -s -H "${shell(text)}" https://api.example.com/v1/users?page=2 -o out.json`,
  (text) => `x=$(run -H "${shell(text)}"); echo "$x" && ls`,
  (text) => (text.includes("'") ? null : `curl -H '${text}' -d '{"a":"b"}' https://api.example.com | jq .name`),
  (text) => (/["`\n]/.test(text) ? null : `Send \`${text}\`, then wait for the answer.`),
  (text) => (/["`\n]/.test(text) ? null : `He wrote "${text}" and left; nothing else.`),
  (text) => (/["'`\n<&]/.test(text) ? null : `headers:\n  - '${text}'  # of the API\nnext: 1\n`),
  (text) => (text.includes('\n') ? null : `headers:\n  - "${json(text)}"\n  - "Accept: x"\n`),
  (text) => (/["'`\n<&]/.test(text) ? null : `<a>${text}</a><b title="x">1</b>`),
  (text) => (/["'`\n]/.test(text) ? null : `{'header': '${text}', 'status': 200, 'b': 'c d'}`),
  (text) => `send("${json(text)}", options);\nnext("two")`,
  (text) => (/["\n]/.test(text) ? null : `7,"${text}",2026,ok`),
]
const surroundings = fc.array(fc.tuple(fc.constantFrom(...SURROUNDINGS), asides), { minLength: 1, maxLength: 3 })

/** A text with one secret, and the text that must be left of it. */
const planted = fc
  .tuple(secrets, values, surroundings)
  .filter(([secret, value]) => !secret.includes('://') || encodeURIComponent(value) === value)
  .map(([secret, value, around]) => {
    const text = around.reduce((inner, [put, aside]) => put(inner, aside) ?? inner, secret)
    return { text: text.replace('⟂', value).replaceAll(/[«»]/g, ''), left: text.replace(/«.*»/, '•') }
  })

const base = { source: 'wire', session_id: 's', agent_id: null, ts_wall: '2026-11-21T00:00:00.000Z' }
const payloadOf = (kind: string, payload: object): unknown =>
  redactor.draft({ ...base, ts_monotonic: null, keys: [], parents: [], kind, payload } as unknown as AnyDraft).payload

/** The places of a session that a text may be in, each with the text as it would be stored. */
const PLACES: { readonly [place: string]: (text: string) => unknown } = {
  prompt: (text) => (payloadOf('user_prompt', { text }) as { text: unknown }).text,
  'tool input': (text) =>
    (
      payloadOf('tool_call', { call_id: 'toolu_1', tool_name: 'Bash', input: { command: text } }) as {
        input: { command: unknown }
      }
    ).input.command,
  'tool result': (text) =>
    (payloadOf('tool_result', { call_id: 'toolu_2', output: text, is_error: false }) as { output: unknown }).output,
  'line of a transcript': (text) =>
    JSON.parse(redactor.text(JSON.stringify({ type: 'user', message: text, uuid: 'u' }))).message,
  'stream of pieces': (text) => {
    const stream = redactor.stream()
    let out = ''
    for (let at = 0; at < text.length; at += 7) out += stream.push(text.slice(at, at + 7))
    return out + stream.end()
  },
}

describe('a value ends where its surroundings say', () => {
  it('the text before and after it stays, to the byte', () => {
    fc.assert(
      fc.property(planted, ({ text, left }) => {
        expect(marked(redactor.text(text))).toBe(left)
      }),
      { numRuns: 3000 },
    )
  })

  it.each(Object.keys(PLACES))('so it does in a %s', (place) => {
    fc.assert(
      fc.property(planted, ({ text, left }) => {
        expect(marked(String(PLACES[place]?.(text)))).toBe(left)
      }),
      { numRuns: 300 },
    )
  })

  const KEY = 'q7Zk3x9Qm2Lp7Rt5Vw8nB4cY'
  const ROW = 'MIIEpAIBAAKCAQEAq7Zk3x9Qm2Lp7Rt5Vw8nB4cY0123Hd9sWk2LmPq4RtVx'
  test.each([
    [`curl -H "Authorization: ${KEY}" https://x.example/a`, 'curl -H "Authorization: •" https://x.example/a'],
    [`curl -H Authorization:${KEY} https://x.example/a`, 'curl -H Authorization:• https://x.example/a'],
    [`{"output":"Authorization: token ${KEY}","metadata":{}}`, '{"output":"Authorization: token •","metadata":{}}'],
    [`Authorization: Mine ${KEY} and more`, 'Authorization: Mine • and more'],
    [`{"a":"Authorization: Basic ${KEY}=","b":1}`, '{"a":"Authorization: Basic •","b":1}'],
    [`<Authorization>token ${KEY}</Authorization><b/>`, '<Authorization>token •</Authorization><b/>'],
    [`Cookie: sid=${KEY}; then reload`, 'Cookie: sid=•; then reload'],
    [`DB_PASSWORD=${KEY}; psql -h db`, 'DB_PASSWORD=•; psql -h db'],
    [`export TOKEN=${KEY}&&make`, 'export TOKEN=•&&make'],
    ['password: a7,b9;c2\nuser: ada', 'password: •\nuser: ada'],
    ['DB_PASSWORD=a7,b9;c2', 'DB_PASSWORD=•'],
    [`{"a":"password: '${KEY}","b":"it's"}`, `{"a":"password: '•","b":"it's"}`],
    [`{'a': 'password: "${KEY}', 'b': 'say "x"'}`, `{'a': 'password: "•', 'b': 'say "x"'}`],
    [`{"a":"kind: Secret\\ndata:\\n  dbpw: ${KEY}","b":1}`, '{"a":"kind: Secret\\ndata:\\n  dbpw: •","b":1}'],
    [
      `{"a":"kind: Secret\\nstringData:\\n  a: \\"${KEY}\\"\\n  b: it's ${KEY}","c":"d"}`,
      '{"a":"kind: Secret\\nstringData:\\n  a: \\"•\\"\\n  b: •","c":"d"}',
    ],
    [
      `{"a":"-----BEGIN RSA PRIVATE KEY-----\\n${ROW}\\n${ROW}","commit":"${'9f86d081884c7d65'.repeat(2)}"}`,
      `{"a":"•","commit":"${'9f86d081884c7d65'.repeat(2)}"}`,
    ],
    [`"-----BEGIN RSA PRIVATE KEY-----\\n" +\n  "${ROW}\\n" +\n  "${ROW}\\n", 7`, '"•\\n" +\n  "•\\n" +\n  "•\\n", 7'],
    [`x='Server=db;Password=${KEY}',y='c;d'`, "x='Server=db;Password=•',y='c;d'"],
    [`curl -b sid=${KEY} https://x.example`, 'curl -b sid=• https://x.example'],
  ])('in %j', (text, left) => {
    expect(marked(redactor.text(text))).toBe(left)
  })

  test.each([
    "['http://host:8080','ada@x.com']",
    'http://localhost:3000?mail=ada@x.com',
    '{"a":"sshpass -p ","b":"c"}',
    '{"a":"the token: ","b":"c"}',
    '{"a":"{\\"b\\":\\"the password: \\",\\"c\\":\\"d\\"}"}',
    'send "Authorization: Bearer SESSION"; it lasts 15 minutes',
  ])('nothing is removed of %j, which has none', (text) => {
    expect(redactor.text(text)).toBe(text)
  })

  test.each([
    [
      { Authorization: `token ${KEY}`, accept: 'x' },
      { Authorization: 'token •', accept: 'x' },
    ],
    [{ 'Set-Cookie': [`sid=${KEY}; Path=/`] }, { 'Set-Cookie': ['sid=•; Path=/'] }],
    [[['Authorization', `Splunk ${KEY}`]], [['Authorization', 'Splunk •']]],
    [[{ name: 'cookie', value: `sid=${KEY}` }], [{ name: 'cookie', value: 'sid=•' }]],
  ])('in the headers that a tool gets as JSON: %j', (headers, left) => {
    expect(JSON.parse(marked(JSON.stringify(redactor.json({ headers }))))).toEqual({ headers: left })
  })

  test('in a .env file: comments stay, and an open quote takes no other line', () => {
    const file = `A="${KEY}" # the key\nB=${KEY}\t# too\nC="open\nD="${KEY}"\nE='a\nb=' # two lines\n`
    expect(marked(redactor.envFile(file))).toBe('A="•" # the key\nB=•\t# too\nC=•\nD="•"\nE=\'•\' # two lines\n')
  })
})
