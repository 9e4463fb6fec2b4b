import { base64, charClass, hex, slug, word, wordUnderscore } from '../char-class.ts'
import { keyFormat, runFormat, type Rule } from '../rule.ts'

/** Keys of model providers, their gateways, and the tools around them. */
export const MODEL_FORMATS: readonly Rule[] = [
  keyFormat('aws-bedrock-key', 'ABSK bedrock-api-key-', base64, 60),
  keyFormat('google-api-key', 'AQ.Ab8', slug, 30),
  keyFormat('context7-key', 'ctx7sk-', slug, 30),
  keyFormat('cursor-key', 'crsr_', hex, 60),
  keyFormat('amp-key', 'sgamp_user_', wordUnderscore, 40),
  keyFormat('langfuse-key', 'sk-lf-', slug, 30),
  keyFormat('helicone-key', 'sk-helicone-', slug, 20),
  keyFormat('fireworks-key', 'fw_', word, 20),
  keyFormat('cerebras-key', 'csk-', word, 40),
  keyFormat('pinecone-key', 'pcsk_', wordUnderscore, 40),
  keyFormat('wandb-key', 'wandb_v1_', wordUnderscore, 30),
  keyFormat('jina-key', 'jina_', wordUnderscore, 40),
  runFormat('voyage-key', 'pa-', [[slug, 40, 64]]),
  keyFormat('firecrawl-key', 'fc-', hex, 32),
  keyFormat('elevenlabs-key', 'sk_', hex, 48),
  keyFormat('llamacloud-key', 'llx-', word, 40),
  keyFormat('anyscale-key', 'esecret_', word, 20),
  keyFormat('nomic-key', 'nk-', slug, 40),
  keyFormat('brave-search-key', 'BSA', slug, 27),
  keyFormat('daytona-key', 'dtn_', hex, 60),
  keyFormat('runpod-key', 'rpa_', word, 40),
  keyFormat('modal-token', 'ak- as-', word, 22),
  keyFormat('volcengine-key', 'AKLT', charClass('A-Za-z0-9+/=_'), 40),
  runFormat('baidu-key', 'bce-v3/ALTAK-', [
    [word, 16, 40],
    [charClass('/'), 1, 1],
    [hex, 32, 64],
  ]),
]
