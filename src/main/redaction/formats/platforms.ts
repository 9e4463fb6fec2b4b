import { base64, charClass, dotted, hex, slug, upper, word, wordUnderscore } from '../char-class.ts'
import { followRuns, keyFormat, type Rule, runFormat } from '../rule.ts'

const hexAnyCase = charClass('0-9A-Fa-f')
const azureSecret = charClass('A-Za-z0-9_~.-')

/**
 * Client secrets of Microsoft Entra: three characters, a digit, `Q~`, and 31 to 34 more. The first three stay, since rules only
 * read forward from their anchor.
 */
const entraSecret: Rule = {
  name: 'azure-client-secret',
  anchors: Array.from({ length: 10 }, (_, digit) => `${digit}Q~`),
  isKeyFormat: true,
  match(place) {
    if (!/[\w~.-]{3}$/.test(place.behind(place.at, 3))) return 0
    const ends = followRuns(place, place.after, [[azureSecret, 31, 40]])
    return typeof ends === 'object' ? { start: place.at, end: ends[0] ?? 0 } : ends
  },
}

/** Tokens of clouds, hosts, databases, code hosts, registries and build services. */
export const PLATFORM_FORMATS: readonly Rule[] = [
  entraSecret,
  keyFormat('cloudflare-token', 'cfk_ cfut_ cfat_', slug, 36),
  runFormat('backblaze-key', 'K00', [[charClass('A-Za-z0-9+/'), 28, 28]]),
  keyFormat('render-key', 'rnd_', word, 28),
  keyFormat('neon-key', 'napi_', word, 40),
  keyFormat('scaleway-key', 'SCW', upper, 17),
  keyFormat('yandex-token', 'y0_ AQVN t1.', dotted, 35),
  keyFormat('aiven-password', 'AVNS_', slug, 16),
  keyFormat('mongodb-atlas-key', 'mdb_sa_sk_', slug, 30),
  keyFormat('materialize-key', 'mzp_', hexAnyCase, 60),
  keyFormat('dbt-token', 'dbtc_ dbtu_', slug, 30),
  keyFormat('prefect-key', 'pnu_ pnb_', word, 36),
  keyFormat('clickhouse-key', '4b1d', word, 38),
  keyFormat('defined-networking-key', 'dnkey-', charClass('A-Za-z0-9-'), 40),
  keyFormat('zuplo-key', 'zpka_', wordUnderscore, 30),
  keyFormat('xata-key', 'xau_', word, 30),
  keyFormat('netbird-token', 'nbp_', word, 30),
  keyFormat('castai-key', 'castai_v1_', wordUnderscore, 40),
  keyFormat('harness-token', 'pat. sat.', charClass('A-Za-z0-9_.-'), 60),
  keyFormat('sourcegraph-token', 'sgp_ slk_', wordUnderscore, 40),
  keyFormat('gitlab-token', 'glwt- _gitlab_session=', slug, 20),
  runFormat('github-token', 'v1.', [[hex, 40, 40]]),
  keyFormat('jfrog-token', 'cmVmd', word, 50),
  keyFormat('nuget-key', 'oy2', charClass('a-z0-9'), 43),
  keyFormat('packagist-token', 'packagist_ack_ packagist_uut_ packagist_out_', slug, 30),
  keyFormat('deno-deploy-token', 'ddp_ ddo_', word, 30),
  keyFormat('clojars-token', 'CLOJARS_', charClass('a-z0-9'), 60),
  keyFormat('octopus-key', 'API-', upper, 26),
  keyFormat('snyk-token', 'snyk_uat. snyk_sat.', dotted, 36),
  keyFormat('infracost-key', 'ico-', word, 32),
  keyFormat('dependency-track-key', 'odt_', word, 32),
  keyFormat('dynatrace-token', 'dt0c03. dt0s02.', charClass('A-Z0-9.'), 60),
  keyFormat('inngest-key', 'signkey-prod- signkey-test- signkey-branch-', word, 32),
  keyFormat('trigger-key', 'tr_dev_ tr_prod_ tr_stg_', word, 20),
  keyFormat('vault-token', 's.', word, 24),
  runFormat('onepassword-key', 'A3-', [
    [upper, 6, 6],
    [charClass('-'), 1, 1],
    [charClass('A-Z0-9-'), 20, 40],
  ]),
  runFormat('google-fcm-key', ':APA91b', [[base64, 100, 4096]]),
  keyFormat('wallet-key', 'xprv nsec1', word, 58),
]
