/** 120 questions about the facts, twenty of each kind: the question, the keys of the facts that answer it, the answer. */
export const QUESTIONS = {
  'exact name': `
What is pg-orders-02? | orders-db | the host of the orders database
Where is the bucket larkspur-media-prod used? | images | for uploaded images
What does LK-2207 mean? | error-code | the warehouse rejected a shipment label
Which chart is called checkout-web? | helm | the one of the checkout service
What is harbor-edge? | gateway | the repository of the gateway's configuration
Who uses kestrel-uat? | kestrel | Kestrel Air
What is tide.jobs? | queue | the queue of background work
What is the policy HV-77310? | insurance | the travel insurance
Who is Oona? | nora-podcast | the friend Nora records a podcast with
Who is Dr. Keane? | dentist | the dentist
What is Heron? | wifi | the guest network
What is the stream outbound-eu for? | mail | transactional mail
What is Cromarty? | paint | the colour of the living room
Which project key is LARK-FF? | flags | the one in Unleash
Who subscribes to order.shipped? | corvid | Corvid Games
What do we know about Samuel Price? | northgate | he holds Northgate's seat on the board
Who is Mr. Szabo? | piano | the piano tuner
What is kept under kv/larkspur? | secrets | the secrets in Vault
Who is Priya Raman? | lumen | the contact at Lumen Lighting
What is a Caro-Kann? | nora-chess | what Nora plays against king's pawn openings
`,
  paraphrase: `
Who tests whether our product is safe from attackers? | hugo-role | Hugo Lambert
Which colleague is away looking after a new baby? | lena-role | Lena Hoffmann
Where do passwords and keys for our programs come from? | secrets | Vault
How long do we hold on to what programs write while running? | logs | fourteen days
How do employees log on? | sso | with Okta
What made people unable to pay in spring? | outage-may | an expired certificate
Which client did we lose to a rival? | isola | Isola Travel
Who is slow to settle invoices? | greenleaf | Greenleaf Organics
What should I give Nora when she turns another year older? | nora-gift | a ticket for the opera
What does Nora's spouse do for a living? | tomas | he teaches chemistry
What must our girl not eat? | mila-allergy | hazelnuts
What medicine does the pet take? | olaf-pill | half a thyroid tablet
What gets Nora to the office each day? | nora-bike | a blue Brompton
Who watches the child while the parents work? | nanny | Aoife
What background sound helps Nora focus? | nora-music | baroque cello
Where does water come into the house? | roof | above the landing
Who can let us in when we are locked out? | key | Mrs. Delaney
Where do we sleep when we visit Portugal's capital? | hotel | the Casa do Jasmim
How is fresh software put on Apple phones? | mobile-build | with Xcode 16, in thirty-five minutes
What happens to the information of people who leave us? | retention | it is erased after sixty days
`,
  negation: `
On which days do we not deploy? | no-friday | Fridays and the day before a public holiday
What does the orders service not use? | no-orm | an object-relational mapper
Does the marketing site track visitors? | no-cookies | no
What did we decide against for the partner interface? | no-graphql | GraphQL
As which user must containers not run? | no-root | root
When does support not answer? | no-weekend | at weekends, except for outages
Who must not be on holiday at the same time? | no-pto-overlap | Ada and Ben
What does the company refuse to pay for at client dinners? | no-alcohol | alcohol
What will we not introduce before the volume doubles? | no-kafka | Kafka
Which tool does the design team no longer use? | no-jira | Jira
Which archive is not encrypted? | not-encrypted | the one of 2019
What may never be copied to a laptop? | no-monkey | production data
What cannot be refunded? | no-refund | gift cards
Which mails does nobody read? | no-reply | those to noreply
Which contract does not renew automatically? | no-auto-renew | the one with Halden Logistics
Who is not enrolled in beta features? | no-beta | enterprise customers
What does Nora never drink? | nora-tea | coffee
Which licence does Nora hold without having the vehicle? | nora-car | a driving licence
How must the house alarm not be armed? | alarm | with a code
What does Nora not want in the news summary? | nora-news | sports
`,
  number: `
How many requests a minute may a partner send? | rate-limit | 600
How large may an upload be? | upload-size | 25 megabytes
How long was the checkout down on 12 May? | outage-may | forty-seven minutes
How many engineers does the company have? | headcount | nineteen
How many tickets does support close a week? | tickets | about 140
What is the cloud budget? | budget | 480,000 euros
How many minutes does a session live? | sessions | twenty
What is the net promoter score? | nps | 41
How much memory does a checkout pod get? | pod-memory | 768 megabytes
By how many percent did conversion rise? | conversion | 3.4
What is the monthly rent in Dublin? | lease | 11,200 euros
How many characters must a password have? | password-length | at least fourteen
How many days does the free trial last? | trial | twenty-one
How much did we raise in the last round? | runway | 14 million euros
What is Ben's extension? | ben-contact | 4417
In what time did Nora run the half marathon? | nora-run | 1:52
How old is Nora's mother? | mother | seventy
How old is Mila? | mila | six
How cold is the freezer? | freezer | minus twenty
How many households does Tern Coffee serve? | tern | 1,800
`,
  'multi-fact': `
What happened in the outages of this year? | outage-may, outage-june, outage-aug | an expired certificate, a failed reindex, a full disk
Who works or is often in Dublin? | ben-contact, jonas-remote | Ben, and Jonas in the first week of a month
What should I know before I cook for Nora and Mila? | nora-diet, mila-allergy | mostly vegetarian, no hazelnuts
How are metrics, logs and traces kept? | metrics, logs, tracing | in Prometheus, Loki and Tempo
When is the family away, and is a passport about to expire? | porto-trip, passport | from 22 December to 3 January; Tomás's in May
Which databases and caches do we run? | orders-db, sessions, search-cluster | PostgreSQL, Redis, OpenSearch
What has been agreed with Halden Logistics? | halden, no-auto-renew | quarterly invoices; no automatic renewal
When can I not book a meeting with Nora? | nora-meeting, nora-calendar | before ten, and on Thursday afternoons
Who is responsible for payments, and how are changes to billing approved? | ada-role, two-reviews | Ada; two approvals
What do we know about Kofi and his mentor? | kofi-role, ada-role | an intern, mentored by Ada, who leads payments
What health problems does Tomás have? | glasses, migraine | reading glasses, migraine
What do the iOS and the Android app require? | mobile-build, android-min | Xcode 16; version 9
Which customers have wishes about language or currency? | delmar, hartmann | Delmar in pesos; Hartmann in German and Polish
What did our customers ask for in the survey, and what does the net promoter score say? | survey, nps | dark mode; 41
What is on Mila's calendar: violin, school, nanny? | mila, mila-school, nanny | lessons; closed first Mondays; Tuesdays and Thursdays
How do indentation and linting work here? | editor-config, lint | two or four spaces; Biome and Ruff
Which crash rate and which test coverage do we have? | crash-rate, coverage | 0.6 and 0.2 percent; 71 percent
What do Carla and Nora do in their free time with sports? | carla-hobby, nora-run | football; running
How does the dog look and what does he take at breakfast? | olaf, olaf-pill | a greyhound; half a tablet
Which deadlines come in October and November? | audit-date, launch-date | the auditors; the loyalty programme
`,
  'other language': `
Wann ist die Buchhaltung geschlossen? | de-urlaub | vom 23. Dezember bis zum 2. Januar
Welchen Toner braucht der Drucker? | de-drucker | TN-2420
Wer hat den Schlüssel zum Serverraum? | de-schluessel | Herr Brandt
Wie möchte Hartmann seine Rechnungen bekommen? | de-kunde | auf Papier
Où déménage le bureau de Lyon ? | fr-bureau | rue de la Charité
Quand finit le contrat avec Dubois ? | fr-contrat | en juin
Quel jour se réunit le comité ? | fr-reunion | le premier mardi du mois
¿A qué hora cierra el almacén los viernes? | es-almacen | a las dos
¿Cuánto subió los precios el proveedor de cartón? | es-proveedor | un ocho por ciento
¿Cuándo quiere Lucía sus vacaciones? | es-vacaciones | en septiembre
上海办公室在哪里？ | zh-office | 静安区南京西路
小王对什么过敏？ | zh-food | 花生
备份服务器什么时候重启？ | zh-server | 每周日凌晨三点
田中さんは何時の電車に乗りますか。 | ja-train | 七時
佐藤さんは何を飼っていますか。 | ja-cat | 黒い猫を二匹
倉庫の契約はいつ終わりますか。 | ja-contract | 来年三月
서울 사무실의 주차장은 어디에 있나요? | ko-parking | 지하 이층
คุณสมชายแพ้อะไร | th-food | อาหารทะเล
На какой этаж переехал офис в Таллине? | ru-office | на третий
На чём Сергей ездит на работу? | ru-train | на велосипеде
`,
};
