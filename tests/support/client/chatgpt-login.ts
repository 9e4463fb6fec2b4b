/** The account of the login, which the upstream's list of accounts has too. */
export const CHATGPT_ACCOUNT = 'account-1'

/** Returns what `auth.json` of Codex holds after a ChatGPT login: a made-up token that expires tomorrow. */
export function chatgptLogin(): object {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 86_400
  const claims = { chatgpt_account_id: CHATGPT_ACCOUNT, chatgpt_plan_type: 'plus', chatgpt_user_id: 'user-1' }
  const token = [
    part({ alg: 'RS256', typ: 'JWT' }),
    part({ exp, email: 'person@example.org', 'https://api.openai.com/auth': claims }),
    'signature',
  ].join('.')
  return {
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: null,
    tokens: { id_token: token, access_token: token, refresh_token: 'refresh', account_id: CHATGPT_ACCOUNT },
    last_refresh: new Date().toISOString(),
  }
}
