//! Names of a bakery's products, of 2 to 5 words. In each list the first words are the most frequent.

const FIRST: [&str; 12] = [
    "Wheat",
    "Rye",
    "Spelt",
    "White",
    "Brown",
    "Corn",
    "Oat",
    "Barley",
    "Multigrain",
    "Malt",
    "Buckwheat",
    "Einkorn",
];

const BETWEEN: [&str; 48] = [
    "butter",
    "chocolate",
    "apple",
    "cheese",
    "small",
    "large",
    "almond",
    "cream",
    "raisin",
    "vanilla",
    "cinnamon",
    "sesame",
    "walnut",
    "honey",
    "organic",
    "vegan",
    "filled",
    "sliced",
    "salted",
    "farmhouse",
    "sourdough",
    "lemon",
    "strawberry",
    "cherry",
    "poppy",
    "olive",
    "tomato",
    "onion",
    "garlic",
    "pumpkin",
    "sunflower",
    "linseed",
    "hazelnut",
    "pistachio",
    "coconut",
    "caramel",
    "mocha",
    "orange",
    "banana",
    "blueberry",
    "apricot",
    "fig",
    "ginger",
    "cardamom",
    "saffron",
    "rosemary",
    "spinach",
    "feta",
];

const LAST: [&str; 24] = [
    "bread",
    "roll",
    "croissant",
    "cake",
    "tart",
    "bun",
    "pie",
    "cookie",
    "muffin",
    "baguette",
    "pretzel",
    "scone",
    "waffle",
    "bagel",
    "danish",
    "eclair",
    "macaron",
    "brownie",
    "focaccia",
    "ciabatta",
    "brioche",
    "pudding",
    "strudel",
    "turnover",
];

/// The number of products with the rare word.
const RARE: usize = 5;

/// The name of a product, of as many different words.
pub fn name(number: usize, words: usize) -> String {
    let mut chance = Chance(number as u64);
    if number < RARE {
        return "Wheat almond stollen".to_owned();
    }
    let mut name = vec![chance.word(&FIRST)];
    while name.len() + 1 < words {
        let word = chance.word(&BETWEEN);
        if !name.contains(&word) {
            name.push(word);
        }
    }
    name.push(chance.word(&LAST));
    name.join(" ")
}

/// The number of words in the name of a product of a shop.
pub fn words(number: usize) -> usize {
    2 + number % 4
}

/// A source of numbers, the same for each run.
struct Chance(u64);

impl Chance {
    fn word(&mut self, words: &[&'static str]) -> &'static str {
        let share = self.share();
        words[(words.len() as f64 * share * share * share) as usize]
    }

    /// A number from 0 to below 1, by SplitMix64.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
