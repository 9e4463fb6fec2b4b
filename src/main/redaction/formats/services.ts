import { base64, charClass, digits, dotted, hex, slug, upper, word, wordUnderscore } from '../char-class.ts'
import { afterName, keyFormat, runFormat, type Rule } from '../rule.ts'

const dot = charClass('.')
const underscore = charClass('_')
const uuid = charClass('0-9a-f-')

/** Keys of services for mail, messages, payments, shops, teams, analytics and devices. */
export const SERVICE_FORMATS: readonly Rule[] = [
  // Mail and messages
  keyFormat('resend-key', 're_', wordUnderscore, 30),
  keyFormat('mailersend-key', 'mlsn.', hex, 60),
  afterName(keyFormat('teams-webhook', 'webhook.office.com/webhookb2/', charClass('A-Za-z0-9@/-'), 60)),
  afterName(keyFormat('zapier-webhook', 'hooks.zapier.com/hooks/catch/', charClass('A-Za-z0-9/'), 12)),
  keyFormat('onesignal-key', 'os_v2_app_ os_v2_org_', word, 60),
  keyFormat('liveblocks-key', 'sk_prod_ sk_dev_', slug, 20),
  keyFormat('datadog-key', 'ddapp_ ddpat_', wordUnderscore, 30),
  keyFormat('linkedin-secret', 'WPL_AP1.', dotted, 16),
  keyFormat('twitch-token', 'oauth:', charClass('a-z0-9'), 30),
  keyFormat('twitter-token', 'AAAAAAAAAAAAAAAAAAAA', base64, 60),
  keyFormat('adyen-key', 'AQE', base64, 120),
  keyFormat('ntfy-token', 'tk_', charClass('a-z0-9'), 29),
  keyFormat('courier-key', 'pk_prod_ pk_test_prod_', word, 20),
  afterName(keyFormat('saml-response', 'SAMLResponse= SAMLResponse":" SAMLResponse"', base64, 100)),
  afterName(keyFormat('base64-secret', 'otpauth-migration://offline?data=', charClass('A-Za-z0-9+/=%_-'), 24)),
  // Payments and shops
  keyFormat('polar-token', 'polar_oat_ polar_pat_', wordUnderscore, 30),
  keyFormat('paddle-key', 'pdl_live_apikey_ pdl_sdbx_apikey_', wordUnderscore, 40),
  keyFormat('payment-key', 'live_ test_', word, 30),
  keyFormat('razorpay-key', 'rzp_live_ rzp_test_', word, 14),
  keyFormat('flutterwave-key', 'FLWSECK_TEST- FLWSECK-', charClass('A-Za-z0-9-'), 12),
  keyFormat('plaid-token', 'access-production- access-sandbox- access-development-', uuid, 36),
  keyFormat('braintree-token', 'access_token$production$ access_token$sandbox$', charClass('a-z0-9$'), 30),
  keyFormat('pagarme-key', 'ak_live_ ak_test_', word, 30),
  keyFormat('shopify-token', 'shpua_ shptka_', hex, 32),
  keyFormat('woocommerce-key', 'ck_ cs_', hex, 40),
  keyFormat('persona-key', 'persona_production_ persona_sandbox_', slug, 20),
  // Teams and work
  runFormat('airtable-token', 'pat', [
    [word, 14, 14],
    [dot, 1, 1],
    [hex, 60, 70],
  ]),
  keyFormat('hubspot-token', 'pat-na1- pat-na2- pat-eu1- pat-ap1-', uuid, 36),
  runFormat('clickup-token', 'pk_', [
    [digits, 6, 10],
    [underscore, 1, 1],
    [upper, 30, 34],
  ]),
  keyFormat('klaviyo-key', 'pk_', word, 34),
  keyFormat('close-key', 'api_', charClass('A-Za-z0-9.'), 44),
  keyFormat('intercom-token', 'dG9rOj', base64, 40),
  keyFormat('frameio-token', 'fio-u-', slug, 60),
  keyFormat('adobe-secret', 'p8e-', slug, 32),
  keyFormat('stytch-secret', 'secret-live- secret-test-', slug, 30),
  keyFormat('wakatime-key', 'waka_', uuid, 36),
  keyFormat('lichess-token', 'lip_', word, 20),
  keyFormat('settlemint-token', 'sm_aat_ sm_pat_ sm_sat_', word, 16),
  keyFormat('intra42-secret', 's-s4t2ud- s-s4t2af-', hex, 60),
  keyFormat('teamwork-token', 'tkn.v1_', base64, 60),
  keyFormat('voiceflow-key', 'VF.DM. VF.WS. VF.', dotted, 30),
  keyFormat('stackhawk-key', 'hawk.', dotted, 40),
  keyFormat('scrapfly-key', 'scp-live- scp-test-', hex, 30),
  keyFormat('apify-token', 'apify_api_', word, 30),
  keyFormat('flexport-token', 'shltm_', slug, 40),
  // Nodes of block chains, whose key is the path of their address
  afterName(
    keyFormat(
      'node-key',
      '.infura.io/v3/ .infura.io/ws/v3/ .alchemy.com/v2/ .alchemyapi.io/v2/ .quiknode.pro/ .getblock.io/ .blastapi.io/ .chainstack.com/ .ankr.com/eth/ .ankr.com/bsc/ .ankr.com/polygon/ .ankr.com/base/',
      slug,
      28,
    ),
  ),
  // Analytics and operation
  keyFormat('launchdarkly-key', 'sdk- mob- api-', uuid, 36),
  keyFormat('posthog-key', 'phx_ phs_', wordUnderscore, 40),
  keyFormat('axiom-token', 'xaat- xapt-', uuid, 36),
  keyFormat('honeycomb-key', 'hcaik_ hcbik_ hcxik_ hcamk_', word, 30),
  keyFormat('logfire-token', 'pylf_v1_', wordUnderscore, 30),
  keyFormat('rootly-key', 'rootly_', hex, 60),
  keyFormat('samsara-token', 'samsara_api_', word, 28),
  keyFormat('mapbox-token', 'sk.eyJ', dotted, 60),
  // Social networks and devices
  keyFormat('instagram-token', 'IGQV IGQW IGAA THAA', slug, 100),
  keyFormat('roblox-cookie', '_|WARNING:-DO-NOT-SHARE-THIS', charClass('A-Za-z0-9_.|:-'), 60),
  keyFormat('adafruit-key', 'aio_', word, 28),
  keyFormat('ubidots-token', 'BBFF-', word, 30),
]
