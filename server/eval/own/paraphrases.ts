/** 30 pairs of a memory and a query that asks for it in other words: they share none that carries meaning. */
export const PARAPHRASES = `
The physician told him to stop smoking. | doctor advised quitting cigarettes
She purchased a used automobile. | bought a second-hand car
The children were delighted with the puppy. | kids loved their little dog
He resigned from his position last week. | quit his job recently
The meal at the restaurant was delicious. | tasty food at that place we dined
They reside in a tiny apartment downtown. | living in a small flat in the city centre
Her infant woke up crying at midnight. | baby weeping in the night
The film made the audience laugh. | funny movie
We repaired the broken fence after the storm. | fixing damage done to the garden barrier by bad weather
He is scared of spiders. | arachnid phobia
The airline lost her luggage. | missing suitcase after a flight
The teacher praised the pupil's essay. | student got compliments for writing
My grandfather fought in the war. | ancestor who was a soldier
The surgeon operated on his heart. | cardiac procedure
She adores painting landscapes. | enjoys art of natural scenery
The firm dismissed forty workers. | company laid off staff
They wed on a beach in July. | marriage ceremony by the sea last summer
The boat sank during a gale. | ship went down in strong wind
He constructed a cabin in the woods. | built a hut in the forest
The thief took her purse. | robber stole a handbag
Our vacation to Italy was cancelled. | holiday trip to Rome called off
The attorney won the lawsuit. | lawyer successful in court case
The physics exam was extremely hard. | difficult science test
His salary increased this year. | pay rise
The cat sleeps on the sofa all day. | feline naps on a couch
She phones her parents each Sunday. | calls mum and dad weekly
The bread is baked fresh every dawn. | loaves made early in the morning
The river flooded several villages. | water inundated rural towns
He jogs before breakfast. | runs early for exercise
The laptop's battery dies quickly. | computer runs out of power too soon
`;
