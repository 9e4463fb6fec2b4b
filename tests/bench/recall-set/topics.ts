/** Hand-written turns (prompt, thinking, answer), with questions that a person would ask weeks later. */
export interface Topic {
  readonly prompt: string
  readonly thinking: string
  readonly answer: string
  readonly questions: readonly string[]
}

const topic = (prompt: string, thinking: string, answer: string, ...questions: string[]): Topic => ({
  prompt,
  thinking,
  answer,
  questions,
})

export const TOPICS: readonly Topic[] = [
  topic(
    'pick a color theme for the terminal ui, my eyes hurt at night',
    'High contrast black hurts astigmatic eyes. Solarized has calibrated lightness, Gruvbox is warm but low in blues. Solarized dark keeps hue relations between both modes.',
    'I set the default theme to Solarized Dark because its lightness steps were measured rather than chosen by feel; `themeRegistry.setDefault("solarized-dark")` lives in src/ui/theme_registry.ts.',
    'Why did we choose the dark palette for the terminal?',
    'where is the default theme registered?',
  ),
  topic(
    'uploads of big videos die after a minute',
    'The ingress cuts idle bodies at 60 s. Multipart with resumable parts avoids one long request; tus would need a server.',
    'Large uploads now go through `createMultipartUpload` in 8 MiB parts, and `resumeUploadSession` continues after a dropped connection. The nginx `proxy_read_timeout` stays at 60 s.',
    'how did we fix the video uploads that broke off?',
    'What part size do large files use?',
  ),
  topic(
    'webhooks get delivered twice sometimes, customers complain',
    'At least once delivery is unavoidable with retries. Receivers need an idempotency key; we have the event uuid already.',
    'Every webhook carries an `Idempotency-Key` header with the event id, and `WebhookDispatcher` retries with exponential backoff, at most 7 times over 3 days.',
    'how many times do we retry a webhook?',
    'what stops customers from processing the same delivery twice?',
  ),
  topic(
    'the nightly billing job charged in the wrong month for tokyo',
    'The cron runs in UTC; Tokyo is nine hours ahead, so the first of the month begins on the last day in UTC.',
    "Invoices are cut by the account's own timezone now: `billingPeriodFor(account)` converts with Temporal.ZonedDateTime before it picks the month.",
    'what caused the invoices in Japan to land in the wrong period?',
    'how do we decide which month a charge belongs to?',
  ),
  topic(
    'migrate the session store off redis?',
    'Redis costs us a second system to operate. Postgres unlogged tables are fast enough at 400 req/s. Losing sessions on crash only means new logins.',
    'Sessions moved to an UNLOGGED Postgres table `web_sessions`; Redis is gone from docker-compose. A crash logs everybody out, which we accepted.',
    'why did we get rid of redis?',
    'where are login sessions stored now and what happens after a crash?',
  ),
  topic(
    'search on the docs site finds nothing for C++ pages',
    'The tokenizer drops the plus signs, so C++ becomes c, a stop word. Map C++ to cplusplus before indexing.',
    'Before indexing, `normalizeSymbols` maps C++ to cplusplus and C# to csharp, and the same happens to queries.',
    'how does the documentation index deal with language names that have symbols?',
  ),
  topic(
    "can't log in with safari, works in chrome",
    'Safari refuses Secure cookies on http localhost, and ITP drops third-party cookies. The SSO domain differs from ours.',
    'Safari dropped the SSO cookie as third-party. We moved the login to auth.ourdomain, so that the cookie is first-party, and set SameSite=Lax.',
    'what was wrong with the apple browser login?',
    'Which subdomain serves the login and why?',
  ),
  topic(
    'flaky test: checkout_total_spec fails one in twenty',
    'Order of hash iteration is stable; the rounding depends on the tax service mock, whose port is reused by another spec.',
    'The spec shared port 4010 with the shipping mock. Each mock server listens on port 0 now and passes its address on; 500 runs without a failure.',
    'what made the checkout spec unstable?',
    'how many runs did we do to confirm the flaky test was fixed?',
  ),
  topic(
    'docker image is 2.1 GB, please shrink',
    'Most of it is the CUDA toolkit pulled in by a transitive dependency, plus apt caches. Distroless cannot run our shell hooks.',
    'The image went from 2.1 GB to 310 MB: multi-stage build, `torch` CPU wheels only, debian-slim as the base instead of distroless because of our entrypoint shell hooks.',
    'why are we not on distroless?',
    'how small did the container get and what took the space?',
  ),
  topic(
    'add rate limiting to the public api',
    'Token bucket per key; sliding window logs cost memory. Bursts should be allowed for dashboards that load ten widgets at once.',
    '`TokenBucketLimiter` gives each API key 20 requests a second with bursts of 60; a refused call gets 429 with Retry-After.',
    'what burst size does the limiter allow?',
    'which algorithm throttles the public endpoints?',
  ),
  topic(
    'kubernetes pods get OOMKilled under load',
    'Node does not know the cgroup limit; heap grows to its default of 4 GB while the pod has 1.5. Set max-old-space-size to three quarters.',
    'Set `--max-old-space-size=1152` for pods of 1536Mi; the OOM kills stopped. We also found that `imageCache` never evicted, capped it at 200 entries.',
    'what memory setting keeps the pods alive?',
    'which cache was leaking in the cluster?',
  ),
  topic(
    "let's use graphql for the mobile app?",
    'REST with sparse fieldsets covers the four screens. GraphQL brings N+1 and caching trouble, and the team of two knows REST.',
    'We stay with REST and add `?fields=`; GraphQL was rejected: persisted queries and dataloader are too much for four screens and two people.',
    'why was graphql turned down?',
    'how does the phone app ask for fewer columns?',
  ),
  topic(
    'the csv export garbles umlauts in excel',
    'Excel assumes the ANSI code page without a BOM. UTF-16 would break other tools.',
    'Exports begin with a UTF-8 byte order mark, so that Excel reads umlauts; `writeCsvExport` has the option `bom: false` for scripts.',
    'how did we get excel to show special characters properly?',
  ),
  topic(
    'feature flags: build or buy?',
    'LaunchDarkly is 10 dollars a seat; we need on/off and percentage only. A table and a hash of user id does it.',
    'We built flags ourselves: table `feature_switches`, rollout by murmur hash of the user id, cached for 30 seconds. LaunchDarkly was too dear for twelve seats.',
    'which vendor did we consider for toggles and why not?',
    'how is a gradual rollout decided for a user?',
  ),
  topic(
    'password reset mails land in spam',
    'SPF passes, DKIM is missing for the transactional subdomain, DMARC policy is none.',
    'DKIM was missing on mail.example.org; I added the selector `s2026`, and DMARC went from none to quarantine. Gmail puts them in the inbox since.',
    'why did the reset emails go to junk?',
    'what is our dkim selector called?',
  ),
  topic(
    'image thumbnails look blurry on retina',
    'srcset had only 1x. Generate 2x and let the browser choose; AVIF saves 40 percent but encoding takes 3 s each.',
    'Thumbnails come in 1x and 2x via srcset, as WebP; AVIF was put off because encoding took three seconds each on our workers.',
    'why no AVIF?',
    'what did we do about unsharp previews on high dpi screens?',
  ),
  topic(
    'how should we paginate the audit log',
    'Offsets get slow beyond 100k rows and skip rows when new ones come in. Keyset on (created_at, id) is stable.',
    'The audit log uses keyset pagination over (created_at, id), with the cursor encoded in base64url; OFFSET took 9 s at page 5,000.',
    'why not use offsets for the audit trail?',
    'how slow was deep paging before?',
  ),
  topic(
    'the websocket disconnects every 100 seconds behind cloudflare',
    'Cloudflare closes idle sockets after 100 s. Ping frames from the server count as traffic.',
    '`HeartbeatManager` sends a ping every 45 seconds, since Cloudflare closes sockets that idle for 100; clients reconnect with jitter.',
    'how often do we ping and why?',
    'what cut our live connections behind the CDN?',
  ),
  topic(
    'choose a queue: rabbitmq, sqs or postgres?',
    'Throughput is 50 jobs a second. SKIP LOCKED in Postgres is enough, transactional with the rows it concerns.',
    'Jobs run from Postgres with FOR UPDATE SKIP LOCKED (`JobRunner`); SQS and RabbitMQ would add a system without need at 50 jobs a second.',
    'what do background jobs run on and why not rabbit?',
  ),
  topic(
    'the ios build fails with code signing error since yesterday',
    'The distribution certificate expired on the 14th; fastlane match still has the old one in its repo.',
    'The distribution certificate had expired. I renewed it with `fastlane match nuke distribution` and a fresh `match appstore`; the CI secret MATCH_PASSWORD is unchanged.',
    'what broke the iphone pipeline?',
    'which command renewed the certificate?',
  ),
  topic(
    'sqlite says database is locked in the worker',
    'Two writers without WAL and no busy timeout. One writer thread plus WAL is the cure.',
    'Turned on WAL and gave all writes to one `WriterThread`; busy_timeout is 5000 ms. "database is locked" has not come back in a week of soak tests.',
    'how did we solve the lock errors of the embedded database?',
  ),
  topic(
    'make the onboarding shorter, drop-off at step 3 is 40%',
    'Step 3 asks for the company size and phone number, which nobody needs before the trial.',
    'Onboarding went from five steps to three: phone number and company size are asked after the trial. Drop-off fell from 40 % to 18 %.',
    'which questions did we postpone for new users?',
    'by how much did the drop-off improve?',
  ),
  topic(
    'memory of the parser explodes on nested json',
    'Recursive descent with slices copies strings at each level. An iterative parser with an explicit stack and offsets will not.',
    '`IterativeJsonParser` keeps offsets on a stack instead of slices: 1 GB of nested input takes 40 MB now. Depth is limited to 10,000.',
    'what is the nesting limit?',
    'how did the parser stop eating so much RAM?',
  ),
  topic(
    'which license for the sdk?',
    'GPL scares enterprise customers. Apache 2.0 has the patent grant that MIT lacks.',
    'The SDK goes out under Apache-2.0, for its patent grant; the server stays under BUSL with a change date of four years.',
    'under what terms is the client library published and why?',
    'when does the server become open source?',
  ),
  topic(
    'translate the settings page to german and french',
    'ICU messages with plural rules. react-intl is heavier than lingui. Context for translators matters.',
    'Settings are translated with Lingui; catalogs lie in locales/de.po and locales/fr.po, and `extractMessages` runs in CI so that no string is missed.',
    'which i18n library did we take?',
    'where do the french strings live?',
  ),
  topic(
    'graph of cpu shows a spike each hour',
    'The hourly spike is the sitemap generator walking all products. Make it incremental on change.',
    'The spike was `rebuildSitemap` that walked 1.4 million products each hour. It is incremental now and takes 2 seconds.',
    'what caused the load every hour?',
    'how many products did the sitemap job walk?',
  ),
  topic(
    'users want undo in the editor',
    'Command pattern with inverse operations; snapshots are too big for 10 MB documents. Group typing within 500 ms.',
    'Undo keeps inverse operations in `UndoStack`, groups keystrokes within 500 ms, and holds 200 steps; snapshots were too large for big documents.',
    'how many steps can a user go back in the editor?',
    'why does undo not use snapshots?',
  ),
  topic(
    'should secrets be in env vars or a vault',
    'Env vars leak in crash dumps and child processes. Vault is one more thing to run; SOPS with age keys in git works for six services.',
    'Secrets lie encrypted in git with SOPS and age keys; Vault was judged too heavy for six services, and plain environment variables leak into crash dumps.',
    "why don't we run hashicorp vault?",
    'what tool encrypts our credentials in the repository?',
  ),
  topic(
    'the map view is laggy with 50k markers',
    'DOM markers do not scale past 2,000. Cluster with supercluster, draw in WebGL via deck.gl.',
    'Markers are clustered with `supercluster` up to zoom 14 and drawn with deck.gl; 50,000 points pan at 60 fps.',
    'what library groups the pins on the map?',
  ),
  topic(
    'rename the company in all emails and legal pages',
    'Old name Brightleaf GmbH, new name Fernwerk GmbH from March. Invoices before March must keep the old one.',
    'All mails and legal pages say Fernwerk GmbH; invoices dated before 1 March keep Brightleaf GmbH by `legalNameAt(date)`.',
    'what was the firm called before?',
    'which documents keep the old company name?',
  ),
  topic(
    'データベースの接続が頻繁に切れる問題を調べて',
    '接続プールの最大寿命がサーバーのタイムアウトより長い。プールの寿命を短くする。',
    '接続プールの最大寿命を30分から5分に短縮し、`keepAlive` を有効にしました。切断エラーは解消しています。',
    '接続プールの寿命は何分にした？',
    'データベースの切断はどう直した？',
  ),
  topic(
    '把用户登录页面改成深色主题',
    '用户反馈夜间太亮。深色主题用变量实现，避免重复样式。',
    '登录页面已支持深色主题，颜色变量定义在 theme_dark.css，默认跟随系统设置。',
    '登录页面的颜色变量在哪里定义？',
    '深色主题默认跟随什么？',
  ),
  topic(
    '결제 모듈에서 환불 처리가 두 번 실행되는 버그',
    '환불 요청에 멱등성 키가 없다. 재시도하면 두 번 실행된다.',
    '환불 요청에 멱등성 키를 추가해서 재시도해도 한 번만 실행됩니다. `RefundService` 테스트도 추가했습니다.',
    '환불이 두 번 실행되는 원인은?',
  ),
  topic(
    '缓存命中率太低怎么办',
    '键里包含时间戳，所以每次请求都不同。去掉时间戳即可。',
    '缓存键里不再包含时间戳，命中率从百分之十二升到百分之九十一。',
    '缓存命中率提高到多少？',
    '缓存键去掉了什么？',
  ),
  topic(
    '検索結果の並び順がおかしい',
    '日付の文字列を辞書順で比較している。数値に変換して比較する。',
    '並び順は日付を数値に変換してから比較するように修正しました。関数は `compareTimestamps` です。',
    '並び順の比較関数は何？',
  ),
]

/** Conversation: a remark and its answer, which often shares no words with the question. */
export interface Exchange {
  readonly first: string
  readonly second: string
  readonly question: string
  /** True if the second line has the answer, else the first. */
  readonly answer: 'first' | 'second'
}

const exchange = (
  first: string,
  second: string,
  question: string,
  answer: 'first' | 'second' = 'second',
): Exchange => ({ first, second, question, answer })

export const EXCHANGES: readonly Exchange[] = [
  exchange(
    'How was the pottery class on Saturday?',
    'Loved it! I made a blue bowl with tiny birds on the rim.',
    'What did {B} make at the pottery class?',
  ),
  exchange(
    'Did you hear back about the apartment?',
    'Yes, we got it! We move in on the third of June.',
    'When does {B} move into the new apartment?',
  ),
  exchange(
    'What are you training for these days?',
    'The Lisbon half marathon, my knee is finally better.',
    'Which race is {B} preparing for?',
  ),
  exchange(
    'I adopted a cat last week, she is called Miso.',
    'Aww, I want to see pictures!',
    "What is the name of {A}'s cat?",
    'first',
  ),
  exchange(
    'How did your mother like the birthday present?',
    'She cried! The photo album from our trip to Norway was perfect.',
    'What did {B} give to their mother for her birthday?',
  ),
  exchange(
    'Are you still playing the violin?',
    'Not since March, I switched to cello and have a teacher called Ingrid.',
    'Which instrument does {B} play now?',
  ),
  exchange(
    'My sister just had twins, two boys!',
    'Congratulations, uncle life suits you.',
    "What did {A}'s sister have?",
    'first',
  ),
  exchange(
    'What did the doctor say about your back?',
    'Swimming twice a week and no lifting for a month.',
    'What did the doctor recommend to {B}?',
  ),
  exchange(
    'Where did you end up going for the holidays?',
    'A cabin near Lake Bled, snow up to the windows.',
    'Where did {B} spend the holidays?',
  ),
  exchange(
    'Have you finished the book I lent you?',
    'Last night. The ending with the lighthouse keeper broke me.',
    'Who appears at the end of the book that {A} lent to {B}?',
  ),
  exchange(
    'How is the new job going?',
    'Busy. I lead a team of four nurses in the children ward.',
    "What does {B}'s new job involve?",
  ),
  exchange(
    'What will you cook for the party?',
    "My grandfather's paella, with rabbit instead of seafood.",
    'What dish is {B} preparing for the party?',
  ),
  exchange(
    'I failed my driving test again, third time.',
    'Oh no. Next time will work, you only need to breathe.',
    'How many times has {A} failed the driving test?',
    'first',
  ),
  exchange(
    'Did the garden survive the storm?',
    'Only the tomatoes did, the greenhouse roof is gone.',
    "What survived the storm in {B}'s garden?",
  ),
  exchange(
    'Who taught you to dance like that?',
    'A neighbour in Havana, when I studied there in 2012.',
    'Who taught {B} to dance?',
  ),
  exchange(
    'I signed up for the adoption agency information evening.',
    'That is a big step, I am proud of you.',
    'Which event did {A} sign up for?',
    'first',
  ),
  exchange(
    'What happened to your old car?',
    'Sold it to a student for 900 euros, it still runs.',
    'How much did {B} get for the old car?',
  ),
  exchange(
    'How did the exhibition go?',
    'Three paintings sold on the first night, the red one to a hotel.',
    "How many of {B}'s paintings were sold at the opening?",
  ),
  exchange(
    'Are your parents coming for the wedding?',
    'Only dad; mum cannot fly after the eye surgery.',
    "Why is {B}'s mother not coming to the wedding?",
  ),
  exchange(
    'I volunteer at the animal shelter on Sundays now.',
    'The dogs must adore you.',
    'Where does {A} volunteer?',
    'first',
  ),
  exchange(
    'What are you studying in the evenings?',
    'Sign language, because my nephew was born deaf.',
    'Why is {B} learning sign language?',
  ),
  exchange(
    'Did you fix the boat?',
    'The engine yes, the sail needs another week at the workshop in Kiel.',
    "What still has to be repaired on {B}'s boat?",
  ),
  exchange(
    'How was the concert?',
    'The band played for three hours, and my phone was stolen on the way out.',
    'What happened to {B} after the concert?',
  ),
  exchange(
    'My therapist suggested I write a journal.',
    'Does it help you sleep?',
    "What did {A}'s therapist suggest?",
    'first',
  ),
  exchange(
    'What made you quit smoking?',
    'The birth of my daughter, I promised it to my wife at the hospital.',
    'Why did {B} stop smoking?',
  ),
  exchange(
    'Which language do you speak at home?',
    'Mostly Tamil, English when the kids are angry.',
    "Which language is spoken in {B}'s home?",
  ),
  exchange(
    'I want to open a small bakery near the harbour.',
    'With your cinnamon rolls it cannot fail.',
    'What kind of business does {A} want to start?',
    'first',
  ),
  exchange(
    'How long have you known each other?',
    'Since kindergarten, we were in the frog group together.',
    'Since when have {B} and the friend known each other?',
  ),
  exchange(
    'What did you lose on the hike?',
    'My wedding ring, and we found it inside the tent two days later.',
    'Where was the lost ring found?',
  ),
  exchange(
    'Any plans for your sabbatical?',
    'Cycling from Vienna to Istanbul, starting in April.',
    'What will {B} do during the sabbatical?',
  ),
]

/** Small talk without any answers. */
export const SMALL_TALK: readonly string[] = [
  'Good to hear from you! How have you been?',
  'Same here, work never ends.',
  'Haha, that is so you.',
  'We should meet soon, it has been ages.',
  'The weather is awful today, rain since the morning.',
  'I had the best coffee of my life yesterday.',
  'Tell me more when we see each other.',
  'That sounds wonderful, I am happy for you.',
  'Sorry for the late answer, my phone was dead.',
  'The kids say hello.',
  'I need a nap after that.',
  'Do you want to come over this weekend?',
  'Sure, what should I bring?',
  'Just yourself, and maybe something sweet.',
  'I watched that show you told me about.',
  'And? Did you like it?',
  'A bit slow, but the music is great.',
  'By the way, thanks again for your help last month.',
  'Any time, that is what friends are for.',
  'My train is late again, so I have time to write.',
  'Did you sleep well?',
  'Not really, the neighbours had a party.',
  'Take care of yourself!',
  'You too, talk soon.',
]
