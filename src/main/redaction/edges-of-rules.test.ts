import { expect, test } from 'vitest'
import { MARK, make } from './fixtures/redactor-under-test.ts'

const redactor = make()
const seen = (text: string) => redactor.text(text).replace(new RegExp(MARK, 'g'), '•')

test.each([
  ['Authorization: Bearer #Zk3x9Qm2Lp7Rt5Vw8', 'Authorization: Bearer •'],
  ['echo opensesame | sudo -kb -S apt update', 'echo • | sudo -kb -S apt update'],
  ['kind: Secret\nstringData: \n  door: opensesame', 'kind: Secret\nstringData: \n  door: •'],
  ['pass_phrase: opensesame', 'pass_phrase: •'],
  ['passCode: opensesame', 'passCode: •'],
  ['password: p_opensesame', 'password: •'],
  ["sign(door, process.env.KEY || 'open-sesame')", "sign(door, process.env.KEY || '•')"],
  ["session({ x: env['SESSION_SECRET'] ?? 'open-sesame' })", "session({ x: env['SESSION_SECRET'] ?? '•' })"],
  ['Private-MAC: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b', 'Private-MAC: •'],
  ['DSN=ada:opensesame@tcp(db)/x', 'DSN=ada:•@tcp(db)/x'],
  ['tool --password opensesame host:80', 'tool --password • host:80'],
  ['client_secret: Lavender', 'client_secret: •'],
  // A dot at the end does not make it code: it ends a sentence, or belongs to the secret.
  ['API_SECRET=kR8sQ2vX9pL4mN7t.', 'API_SECRET=•'],
  ['the password: Tr0ub4dor3. Then sign in.', 'the password: •. Then sign in.'],
])('hides the secret of %j', (text, expected) => {
  expect(seen(text)).toBe(expected)
})

test.each([
  'password = row[index]',
  'password=first+second;',
  'password: http://vault.local/team/door',
  'password=http://vault.local/team/door',
  'the client secret: Lavender',
  'tool --password opensesame is needed',
  "if (password === 'q7!Zt') open()",
  'type Door = {of: Key;password:opensesame,',
  'password: &&',
  'password: ??',
  'password: abc...',
  'password: string.',
  'password: required.',
  'without --password entirely.',
  'password = config.\n  get("door")',
  'password: start(',
  `Private-Lines: 8\n${'A'.repeat(30)}\nMoreLinesFollow: 3`,
])('leaves %j, which holds no secret', (text) => {
  expect(seen(text)).toBe(text)
})

test.each('Password Passwort Passworte Kennwort Senha Wachtwoord Contraseña Parola Salasana Heslo Lozinka'.split(' '))(
  'leaves a label in a table of translations: %s',
  (label) => {
    expect(seen(`"password": "${label}",`)).toBe(`"password": "${label}",`)
    expect(seen(`"password": "${label}47!",`)).toBe('"password": "•",')
  },
)
