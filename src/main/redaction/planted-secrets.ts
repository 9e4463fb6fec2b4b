import { createHash } from 'node:crypto'

/** A made-up secret for tests: nothing that any issuer ever gave out. */
export interface PlantedSecret {
  /** The rule that must find it. */
  readonly rule: string
  readonly text: string
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ALPHABETS = {
  word: `${LETTERS}0123456789`,
  slug: `${LETTERS}0123456789_-`,
  base64: `${LETTERS}0123456789+/`,
  hex: '0123456789abcdef',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  digits: '123456789',
}

// rule, then the form: literal text with {alphabet length} where it is random.
const FORMS = `
anthropic-key sk-ant-api03-{slug 93}AA
anthropic-key sk-ant-oat01-{slug 86}
openai-key sk-proj-{slug 48}
openai-key sk-{word 48}
openrouter-key sk-or-v1-{hex 64}
huggingface-token hf_{word 34}
groq-key gsk_{word 52}
perplexity-key pplx-{word 48}
xai-key xai-{word 80}
replicate-token r8_{word 37}
nvidia-key nvapi-{slug 64}
aws-access-key AKIA{upper 16}
aws-access-key ASIA{upper 16}
google-api-key AIza{slug 35}
google-oauth-token ya29.{slug 60}
google-oauth-secret GOCSPX-{slug 28}
azure-key AccountKey={base64 86}==
alibaba-access-key LTAI{word 20}
digitalocean-token dop_v1_{hex 64}
supabase-key sbp_{hex 40}
planetscale-token pscale_tkn_{slug 43}
databricks-token dapi{hex 32}
github-token ghp_{word 36}
github-token ghs_{word 36}
github-fine-grained-token github_pat_{word 22}_{word 59}
gitlab-token glpat-{slug 20}
bitbucket-token ATBB{word 32}
atlassian-token ATATT3{slug 180}
npm-token npm_{word 36}
pypi-token pypi-AgEIcHlwaS5vcmc{slug 100}
rubygems-key rubygems_{hex 48}
docker-token dckr_pat_{slug 27}
terraform-token .atlasv1.{slug 64}
slack-token xoxb-{digits 12}-{digits 12}-{word 24}
slack-token xapp-1-{word 11}-{digits 13}-{hex 64}
slack-webhook hooks.slack.com/services/T{upper 8}/B{upper 8}/{word 24}
discord-token MT{slug 24}.{slug 6}.{slug 38}
discord-webhook discord.com/api/webhooks/{digits 18}/{slug 68}
telegram-token :AA{slug 33}
sendgrid-key SG.{slug 22}.{slug 43}
mailgun-key key-{hex 32}
twilio-key SK{hex 32}
stripe-key sk_live_{word 24}
stripe-key whsec_{base64 32}
square-token sq0atp-{slug 22}
shopify-token shpat_{hex 32}
linear-key lin_api_{word 40}
notion-token ntn_{word 46}
figma-token figd_{slug 40}
postman-key PMAK-{hex 24}-{hex 34}
sentry-token sntrys_{base64 80}
grafana-token glsa_{word 32}_{hex 8}
newrelic-key NRAK-{upper 27}
doppler-token dp.pt.{word 43}
vault-token hvs.{slug 90}
tailscale-key tskey-auth-{word 12}-{word 32}
age-key AGE-SECRET-KEY-1{upper 58}
jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIi{slug 40}.{slug 43}
`
  .trim()
  .split('\n')

/** `rounds` made-up secrets of each kind, the same ones for the same seed. */
export function plantedSecrets(seed: string, rounds = 1): PlantedSecret[] {
  const out: PlantedSecret[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const line of FORMS) {
      const [rule = '', form = ''] = line.split(/ (.*)/)
      let part = 0
      const text = form.replaceAll(/\{(\w+) (\d+)\}/g, (_, name: keyof typeof ALPHABETS, length: string) => {
        part += 1
        return randomText(`${seed}:${round}:${form}:${part}`, ALPHABETS[name], Number(length))
      })
      out.push({ rule, text })
    }
    out.push({ rule: 'private-key', text: privateKey(`${seed}:${round}`) })
  }
  return out
}

/** Begins with a letter and a digit, so that it is never a word by accident. */
function randomText(seed: string, alphabet: string, length: number): string {
  let text = ''
  for (let block = 0; text.length < length; block += 1)
    for (const byte of createHash('sha512').update(`${seed}:${block}`).digest())
      text += alphabet[byte % alphabet.length]
  return text.slice(0, length)
}

function privateKey(seed: string): string {
  const rows = Array.from({ length: 12 }, (_, row) => randomText(`${seed}:${row}`, ALPHABETS.base64, 64))
  return ['-----BEGIN RSA PRIVATE KEY-----', ...rows, 'Zm9v==', '-----END RSA PRIVATE KEY-----'].join('\n')
}

/** A secret as it stands in a text: a Telegram token is known by the number of its bot, which stands before it. */
export const inPlace = (text: string): string => (text.startsWith(':AA') ? `123456789${text}` : text)
