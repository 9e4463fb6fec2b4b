import { expect, it } from 'vitest'
import { BUILT_IN_RULES } from './built-in-rules.ts'
import { plantedKinds } from './fixtures/planted-kinds.ts'
import { plantedSecrets, inPlace } from './fixtures/planted-secrets.ts'
import { make } from './fixtures/redactor-under-test.ts'
import { VENDOR_KINDS } from './fixtures/vendor-kinds.ts'

const redactor = make()
const kinds = plantedKinds('both ways')
/** For each rule, texts that it must catch. */
const caught = new Map<string, string[]>()
const note = (rule: string, text: string) => caught.set(rule, [...(caught.get(rule) ?? []), text])
for (const [index, line] of VENDOR_KINDS.entries()) note(line.slice(0, line.indexOf(' ')), kinds[index]?.text ?? '')
for (const { rule, text } of plantedSecrets('both ways')) note(rule, inPlace(text))
const random = kinds.find(({ form }) => form.startsWith('key «sk-lf-'))?.secrets[0]?.slice(6) ?? ''
const tunnelKey = `aspy-tunnel-${Buffer.from(random.repeat(3)).toString('base64url').slice(0, 43)}`
const pair = Buffer.from('ada:open sesame').toString('base64')
for (const [rule, text] of [
  ['private', '<private>my diary</private>'],
  ['private-unclosed', 'see <private>my diary'],
  ['printed-secret', '$ op read op://door/key\nopen-sesame-7'],
  ['bearer-token', `the Bearer ${random}`],
  ['basic-credentials', `Basic ${pair}`],
  ['url-password', 'postgres://ada:open-sesame@db/x'],
  ['node-key', `https://eth-mainnet.g.alchemy.com/v2/${random.replaceAll('-', '')}`],
  ['url-token', `https://${random.replaceAll('-', '')}@host/x`],
  ['authorization-header', `Authorization: Token ${random}`],
  ['cookie', `Cookie: sid=${random}`],
  ['url-signature', `https://host/x?sig=${random}`],
  ['secret-value', 'password: opensesame'],
  ['command-secret', 'curl -u ada:opensesame https://host'],
  ['handed-secret', "jwt.sign(payload, 'open-sesame')"],
  ['kubernetes-secret', 'kind: Secret\nstringData:\n  door: opensesame'],
  ['secret-value', 'Server=db;User=sa;Password=Open1(b)Sesame;'],
  ['base64-secret', Buffer.from(`sk-ant-api03-${'x1'.repeat(20)}`).toString('base64')],
  ['saml-response', `SAMLResponse=${Buffer.from(random.repeat(5)).toString('base64')}`],
  ['aspy-path-secret', `aspy-path-${Buffer.from(random.repeat(3)).toString('base64url').slice(0, 43)}`],
  ['aspy-tunnel-key', tunnelKey],
  ['aspy-tunnel-login', Buffer.from(`aspy:${tunnelKey}`).toString('base64')],
  ['astra-token', `AstraCS:${random.replaceAll('-', '').slice(0, 24)}:${random.replaceAll('-', '').repeat(2)}`],
  ['backblaze-key', `K001${random.replaceAll('-', '').slice(0, 27)}`],
  ['openai-key', `sk-${random.replaceAll('-', '')}`],
  ['telegram-token', inPlace(plantedSecrets('t').find(({ rule }) => rule === 'telegram-token')?.text ?? '')],
  ['password-hash', `$1$abc$${random.replaceAll(/[-_]/g, '').padEnd(22, 'x').slice(0, 22)}`],
  ['cloudflare-tunnel-token', `eyJhIjoi${random.replaceAll(/[-_]/g, '').repeat(4).slice(0, 80)}`],
  ['ansible-vault', `$ANSIBLE_VAULT;1.1;AES256\n  ${'11a45b93ac'.repeat(8)}\n  33dec1f8`],
  ['azure-client-secret', `abc8Q~${random.replaceAll('-', '')}x`],
] as const)
  note(rule, text)

/** For each rule without a prefix, texts that look like its secrets and must stay. */
const LEFT_ALONE: { readonly [rule: string]: readonly string[] } = {
  'azure-key': ['AccountKey=short', 'SharedAccessKey=${KEY}'],
  private: ['a <private> tag that nobody closes', '<Private>True</Private>'],
  'private-unclosed': ['a <private> tag that nobody closes', 'use `<private>` for it', 'Vec<private>'],
  'printed-secret': ['$ op read --help\nUsage-of-op-2', '$ op read op://a/b > out\nopen-sesame-7', 'op read prints it'],
  'private-key': [
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----',
    'Private-Lines: 14',
  ],
  'bearer-token': ['Bearer ${token}', 'Bearer of bad news', 'Bearer <your-access-token>'],
  'basic-credentials': ['Basic authentication', 'Basic Operators', '/* Basic SFNT/TrueType tables */'],
  'url-password': [
    'https://example.com:443/path@2x.png',
    'http://user:password@example.com',
    'https://u:${PASSWORD}@h/x',
  ],
  'url-token': ['https://documentation-team@example.com/x', 'ssh://git@github.com/x.git'],
  'authorization-header': [
    'Authorization: Bearer <token>',
    'Authorization: Bearer ${{ secrets.TOKEN }}',
    "headers: { Authorization: 'Bearer ' + token }",
    'authorization: required',
    'Authorization: token,',
    'Authorization: `Bearer ${await getToken()}`',
  ],
  cookie: [
    'Cookie: name=value; name2=value2',
    'const cookie = parse(header)',
    'Set-Cookie: sid=${id}; Path=/',
    'cookies: 3',
  ],
  'url-signature': ['https://host/x?key=primary&code=200', 'f(?key=value)', 'signature=function(a1b2c3d4)'],
  'command-secret': [
    'curl -u $USER:$PASS https://host',
    'mkdir -p src/main',
    'ssh -p 2222 host',
    'git add -u src',
    'curl -b cookies.txt https://h',
    'cp -p a.txt b.txt',
    'mkdir -p src/components/forms2',
    'ssh -p 2222 ada@host',
    'docker run -p 8080:80 nginx',
    'docker compose -p project2 up',
    'npm login --registry=https://registry.npmjs.org',
    'gh auth login --web',
    'vault login -method=github',
    'aws ecr get-login-password | docker login --username AWS --password-stdin 123.dkr.ecr.us-east-1.amazonaws.com',
    'cargo login --help',
    'snyk auth',
    'ngrok http 8080',
    'wandb login --relogin',
    'openssl enc -d -aes-256-cbc -in a.enc -out a -pass env:PW',
    'openssl x509 -in cert.pem -noout -text',
    'ssh-keygen -t ed25519 -C "ada@example.com" -N ""',
    'ssh-keygen -R host.example.com',
    'curl --cert ./client.pem --key ./client.key https://x',
    'curl -E client.pem https://x',
    'git config --global user.name "Ada"',
    'git config credential.helper store',
    'git config --global core.editor vim',
    'poetry config virtualenvs.in-project true',
    'bundle config set --local path vendor/bundle',
    'pulumi config set aws:region us-east-1',
    'gh secret set API_KEY --body "$API_KEY"',
    'gh secret set API_KEY < key.txt',
    'wrangler secret put API_KEY',
    'cat <<< "hello world"',
    'net use Z: \\\\server\\share',
    'az keyvault secret show --name n --vault-name v',
    'kubectl get secret x -o yaml',
    'nmcli dev wifi connect home --ask',
    'xfreerdp /u:ada /v:host',
    'signtool verify /pa a.exe',
    'codecov -f coverage.xml',
    '<entry key="title">Settings page 2</entry>',
    '<Data Name="ProcessName">svchost.exe</Data>',
    "keyPassword keystoreProperties['keyPassword']",
    'storePassword System.getenv("STORE_PASSWORD")',
    '"identitytoken": ""',
    'sonar-scanner -Dsonar.login=$SONAR_TOKEN',
    'rdesktop -u ada -f host',
  ],
  'handed-secret': [
    'jwt.sign(payload, process.env.JWT_SECRET)',
    "jwt.verify(token, publicKey, { algorithms: ['RS256'] })",
    "const hmac = crypto.createHmac('sha256', secret)",
    "crypto.createHmac('sha256', key).update(body).digest('hex')",
    'hmac.new(key, msg, hashlib.sha256)',
    'new SecretKeySpec(keyBytes, "AES")',
    'req.SetBasicAuth(user, pass)',
    'auth=(user, password)',
    'requests.get(url, auth=(os.environ["USER"], os.environ["PASS"]))',
    'new Credentials(user, token)',
    "await page.login('admin', 'Dashboard')",
    'client.login(username, password)',
    'bot.login(process.env.TOKEN)',
    "const port = process.env.PORT || '3000'",
    "const env = process.env.NODE_ENV || 'development'",
    "const name = process.env.KEY_NAME ?? 'default'",
    "const label = options.label || 'Untitled'",
    'CREATE USER ada IDENTIFIED BY :password',
    'a DOM node identified by `nodeId`.',
    'all columns identified by "colUsed", all but one',
    "ALTER USER 'ada'@'%' IDENTIFIED WITH caching_sha2_password",
    '{"username":"ada","key":"profile.title"}',
    'contraseña: campo obligatorio',
    'Mot de passe : oublié ?',
    'пароль: введите новый',
    '密码：请输入您的密码',
    "describe('login(', () => { it('logs in', async () => {}) })",
  ],
  'kubernetes-secret': [
    'kind: ConfigMap\nmetadata:\n  name: x\ndata:\n  color: blue\n  size: "12"',
    'const { data: user2 } = await fetchUser()',
    'data:\n  title: Hello World 2',
    'kind: Secret\nmetadata:\n  name: x',
    'Response.json({ data: { items } })',
  ],
  'base64-secret': [Buffer.from('The quick brown fox jumps over the lazy dog.').toString('base64')],
  'telegram-token': ['12:AA', 'ratio 123456789:AABBCC'],
  'password-hash': ['echo $1$2$5$6', 's/$1$/x/', '{SHA} and $argon2id$', '/^\\$2[aby]\\$\\d\\d\\$[./A-Za-z0-9]{53}$/'],
  'ansible-vault': ['$ANSIBLE_VAULT;1.1;AES256 opens such a file', "grep -l '$ANSIBLE_VAULT;' -r ."],
  'azure-client-secret': ['abc8Q~short', 'x = 1Q~2'],
  'secret-value': [
    'form.Password=value;',
    'x;Password=;',
    'password: string',
    'password: str',
    'password: string;',
    'token: token,',
    'const password = getPassword()',
    '    password = userInput\n    login(password)',
    'self.password = password',
    'def login(user, password, token=None):',
    'password = os.environ["DB_PASSWORD"]',
    'API_KEY=$API_KEY',
    'API_KEY=${API_KEY:-}',
    'TOKEN: ${{ secrets.TOKEN }}',
    'apiKey: process.env.API_KEY',
    'password: your-password',
    'apiKey: "YOUR_API_KEY"',
    'api_key = "<your api key>"',
    'password: "********"',
    'token: xxxxxxxx',
    'PASSWORD=changeme',
    'aws_access_key_id = AKIAIOSFODNN7EXAMPLE',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    "token: 'identifier',",
    'token: "keyword.operator.js"',
    'max_tokens: 4096',
    '"input_tokens": 1234, "output_tokens": 99',
    'tokens: 1234',
    'secretName: my-secret',
    'secretKeyRef:\n  name: db\n  key: password',
    '"password": "Enter your password"',
    '"forgot_password": "Forgot your password?"',
    '"password": "Passwort"',
    '"password": "密码"',
    'passwordField: "pw-field"',
    'PASSWORD_FILE=/run/secrets/db',
    'token_type: bearer',
    'if (token === "end") return',
    '--password is used to log in',
    '  --token string   the token to use',
    'key: "value"',
    '<li key="item-1">',
    'if (event.key === "Enter")',
    'primary_key: id',
    'PRIMARY KEY (user_id)',
    'tokenizer: "whitespace"',
    '--- PASS: TestSecretTokenRotation (0.00s)',
    'PASS src/token.test.ts',
    '"pass": "The rule passed for 3 elements"',
    'password: { type: String, required: true }',
    'password = getpass.getpass("Password: ")',
    'public string Password { get; set; }',
    'password: Joi.string().min(8)',
    'The token: a string that names you',
    'Password: must be at least 8 characters',
    '--token-color: var(--blue-500);',
    '.user-secret:before { content: "x" }',
    'integrity="sha512-3q2+7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLw=="',
    'commit 919e39fd2c1b0a998877665544332211ffeeddcc',
    'id: 0190000a-0000-7000-8000-000000000000',
    'getSecret("db")',
    'id-token: write',
    'credentials: "include"',
    'accesskey="n"',
    'USERNAME_PASSWORD: 0x02,',
    '"password": null, "token": true',
    'PWD=/home/ada/project',
    'author: Ada Lovelace',
    'compass: north, bypass: yes',
  ],
}

it.each([...new Set(BUILT_IN_RULES.map(({ name }) => name))])(
  '%s has a text to catch and texts to leave alone',
  (rule) => {
    const texts = caught.get(rule) ?? []
    expect(texts.length, 'texts to catch').toBeGreaterThan(0)
    for (const text of texts) expect(redactor.text(text), text).toContain(`[redacted:${rule}:`)
    const own = BUILT_IN_RULES.filter(({ name, isKeyFormat }) => name === rule && isKeyFormat).flatMap(
      ({ anchors }) => anchors,
    )
    const plain =
      LEFT_ALONE[rule] ??
      own.flatMap((prefix) => [`${prefix}short`, `see ${prefix}the_name_of_an_example_for_everyone_to_read`])
    expect(plain.length, 'texts to leave alone').toBeGreaterThan(0)
    for (const text of plain) expect(redactor.text(text)).toBe(text)
  },
)

it('a key within a longer word is left alone', () => {
  for (const { name, anchors } of BUILT_IN_RULES) {
    const [text] = caught.get(name) ?? []
    if (LEFT_ALONE[name] !== undefined || text === undefined || !/^[A-Za-z]/.test(anchors[0] ?? '')) continue
    const key = text.replace(/^key /, '')
    const out = redactor.text(`Test${key}`)
    expect(out.includes(`[redacted:${name}:`), `Test${key}`).toBe(false)
  }
})
